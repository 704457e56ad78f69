//! stub
use std::io; use std::io::Write;
use crate::report::*;
/// f
#[derive(Debug,Clone,Copy,PartialEq,Eq)] pub enum Format {/// t
Table,/// j
Json,/// y
Yaml}
/// u
#[derive(Debug,thiserror::Error)] #[error("unknown output format")] pub struct UnknownFormat;
impl std::str::FromStr for Format { type Err=UnknownFormat; fn from_str(s:&str)->Result<Self,UnknownFormat>{ match s {"table"=>Ok(Format::Table),"json"=>Ok(Format::Json),"yaml"=>Ok(Format::Yaml),_=>Err(UnknownFormat)}}}
/// s
pub struct Style {/// c
pub color:bool,/// w
pub width:Option<usize>,/// h
pub headers:bool,/// v
pub verbose:bool}
/// e
pub fn escape(s:&str)->String{ s.to_owned() }
/// r
pub fn render(f:Format,r:&[Report],_s:&Style,out:&mut dyn Write)->io::Result<()>{ match f { Format::Json=>{ if r.len()==1 {serde_json::to_writer_pretty(&mut *out,&r[0])?}else{serde_json::to_writer_pretty(&mut *out,&ReportList::new(r))?}; writeln!(out)}, _=>{ for x in r { writeln!(out,"{}",x.summary)?; for b in &x.outcome.blocked_by {writeln!(out,"{} {}",b.reason,b.message)?;} for h in &x.next.holds {writeln!(out,"hold {} {}",h.reason,h.message)?;}} Ok(())}}}
