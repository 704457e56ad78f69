// Runs the program on every change of a field. The script and the styles of the report show the plan; this script only
// builds the command line and inserts the result.
'use strict';

const find = (selector, within = document) => within.querySelector(selector);
const examples = JSON.parse(find('#examples').textContent);
const fields = ['set', 'kubernetes-version', 'replicas', 'partition', 'max-unavailable', 'image', 'ready-after', 'flags'];
const INPUT = 'dump.yaml';
const MANIFEST = 'new.yaml';
// Other programs may truncate longer links.
const LONG_LINK = 30000;
// A link with more text than this would fill the memory.
const MAX_TEXT = 16 * 1024 * 1024;
// A run that takes longer is ended, in milliseconds: a shell has more time and memory.
const MAX_TIME = 10000;
// The program runs in workers, so that no input freezes the page.
const WORKER = URL.createObjectURL(new Blob([find('#worker').textContent], { type: 'text/javascript' }));
// Flags that a link may carry: those that change the plan. Never a server, a file, a hidden value or a larger budget.
const LINKED = [
  'assume', 'cordon', 'delete', 'delete-claim', 'delete-pod', 'drain', 'every-partition', 'explore', 'faults',
  'feature-gates', 'field-manager', 'force-conflicts', 'gone-after', 'grow', 'lose', 'min-ready-seconds', 'next',
  'now', 'options', 'order', 'require', 'restart', 'return-after', 'server-side', 'set', 'then', 'to-revision',
  'update-strategy', 'upgrade-to', 'validate', 'what-if-fails',
];

const demo = find('#demo');
const input = find('#input');
const apply = find('#apply');
const sides = [];
let program = null;
let versions = [];
let runs = 0;

begin();

async function begin() {
  demo.append(new Option('none (use the input below)', ''));
  for (const { name, situation } of examples) demo.append(new Option(`${name}: ${situation}`, name));
  program = await WebAssembly.compile(await unpacked());
  find('#program').remove();
  versions = (await sts(['versions', '--no-headers'], {})).stdout.split('\n').filter(Boolean).map((line) => line.split(' ')[0]);
  addSide();
  compare(false);
  if (!(await fromLink())) choose(examples[0].name);
  demo.addEventListener('change', () => { choose(demo.value); renew(); });
  input.addEventListener('input', () => { demo.value = ''; later(renew); });
  apply.addEventListener('input', () => later(renew));
  find('#file').addEventListener('change', (event) => take(event.target.files[0], input));
  for (const area of [input, apply]) receive(area);
  find('#compare').addEventListener('click', () => { compare(sides.length < 2); renew(); });
  find('#share').addEventListener('click', share);
  window.addEventListener('hashchange', async () => { if (await fromLink()) renew(); });
  await renew();
  document.body.dataset.ready = 'true';
}

// The program is LZMA, a third smaller than the gzip that browsers inflate. What unpacks it is a small program in gzip.
async function unpacked() {
  const unpack = await WebAssembly.compile(await inflated(find('#unpack').textContent));
  const packed = fromBase64(find('#program').textContent);
  const { exit, out, fault } = await runModule(unpack, ['unpack'], { packed });
  if (exit !== 0) throw new Error(`the program was not unpacked: ${fault ?? decoded(out[2])}`);
  return new Uint8Array(await new Blob(out[1]).arrayBuffer());
}

// base64 of gzip
async function inflated(text, most = Infinity) {
  return through(fromBase64(text), new DecompressionStream('gzip'), most);
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

async function through(bytes, stream, most = Infinity) {
  const chunks = [];
  let size = 0;
  for (const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error('too large');
    }
    chunks.push(value);
  }
}

function choose(name) {
  demo.value = name;
  input.value = examples.find((example) => example.name === name)?.dump ?? '';
}

async function take(file, area) {
  if (!file) return;
  area.value = await file.text();
  area.dispatchEvent(new Event('input'));
}

// A dropped file replaces the text of a field.
function receive(area) {
  const card = area.closest('.source');
  area.addEventListener('dragover', (event) => { event.preventDefault(); card.classList.add('over'); });
  area.addEventListener('dragleave', () => card.classList.remove('over'));
  area.addEventListener('drop', (event) => {
    card.classList.remove('over');
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    take(event.dataTransfer.files[0], area);
  });
}

let waiting = null;
function later(work) {
  for (const side of sides) busy(side, true);
  clearTimeout(waiting);
  waiting = setTimeout(work, 150);
}

// Marks an outdated plan, also for screen readers.
function busy(side, is) {
  side.section.setAttribute('aria-busy', String(is));
}

function addSide() {
  const section = find('#side').content.firstElementChild.cloneNode(true);
  const side = { section, form: find('form', section), index: sides.length, json: null, runs: null };
  const versionField = side.form.elements['kubernetes-version'];
  versionField.append(new Option('from the input', ''), ...versions.map((version) => new Option(version)));
  side.form.addEventListener('submit', (event) => event.preventDefault());
  side.form.addEventListener('input', () => later(() => renewSides(sides)));
  find('.json', section).addEventListener('toggle', () => showJson(side));
  section.addEventListener('click', (event) => followRow(event, side));
  sides.push(side);
  find('#sides').append(section);
  copyable(find('.commands', section));
  return side;
}

function compare(wanted) {
  if (wanted && sides.length < 2) {
    const second = addSide();
    second.form.elements.set.replaceChildren(...[...sides[0].form.elements.set.options].map((option) => option.cloneNode(true)));
    settle(second, settings(sides[0]));
  } else if (!wanted && sides.length > 1) {
    sides.pop().section.remove();
  }
  find('#compare').setAttribute('aria-pressed', String(wanted));
  find('#sides').classList.toggle('two', wanted);
  find('#differences').hidden = !wanted;
  sides.forEach(({ section }, index) => {
    find('h2', section).textContent = wanted ? ['First settings', 'Second settings'][index] : 'Settings';
  });
}

// Returns the settings without the flags that a link may not carry.
function linked(values) {
  const kept = [];
  let keeps = false;
  for (const word of shellWords(values.flags ?? '')) {
    const flag = /^--([\w-]+)/.exec(word);
    // The value of a flag may be the next word.
    keeps = flag ? LINKED.includes(flag[1]) : keeps && !word.startsWith('-');
    if (keeps) kept.push(word);
  }
  const own = Object.fromEntries(fields.map((name) => [name, String(values[name] ?? '')]).filter(([, value]) => value));
  return { ...own, flags: kept.map(quoted).join(' ') };
}

function settings(side) {
  return Object.fromEntries(fields.map((name) => [name, side.form.elements[name].value]).filter(([, value]) => value));
}

function settle(side, values) {
  const flags = [];
  for (const name of fields.slice(0, -1)) {
    const field = side.form.elements[name];
    const value = values[name] ?? '';
    // The sets are unknown until the input is read.
    if (name === 'set' && value && ![...field.options].some((option) => option.value === value)) field.append(new Option(value));
    // A number field cannot hold a percentage.
    field.value = field.type !== 'number' || /^\d*$/.test(value) ? value : '';
    if (field.value !== value) flags.push(`--${name}=${quoted(value)}`);
  }
  side.form.elements.flags.value = [values.flags ?? '', ...flags].filter(Boolean).join(' ');
}

// The objects: a named example, or files.
function source() {
  const words = demo.value ? ['demo', demo.value] : ['-f', INPUT];
  const files = demo.value ? {} : { [INPUT]: input.value };
  if (apply.value.trim()) {
    words.push('--apply', MANIFEST);
    files[MANIFEST] = apply.value;
  }
  return { words, files };
}

function command(side) {
  const { words, files } = source();
  const chosen = settings(side);
  const set = /^([^/]*)\/(.*)$/.exec(chosen.set ?? '');
  const args = set ? [...words, set[2], '-n', set[1]] : [...words];
  for (const name of fields.slice(1, -1)) if (chosen[name]) args.push(`--${name}`, chosen[name]);
  args.push(...shellWords(chosen.flags ?? ''));
  return { args, files };
}

// Returns the error for a flag that chooses a format: the page has its own two. Null if there is none.
function formatError(args) {
  const flag = args.find((word) => /^(-[ARvw]*o|--output(=|$))/.test(word));
  if (!flag) return null;
  const name = flag.startsWith('--') ? '--output' : '-o';
  return `error: ${name} is not supported here: this page shows the report and JSON; for other formats, run the command in a shell\n`;
}

// Splits words as a shell does.
function shellWords(text) {
  const words = [];
  for (const [, word] of text.matchAll(/((?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+)/gs)) {
    words.push(word.replace(/\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs,
      (all, escaped, double, single) => escaped ?? single ?? double.replace(/\\(["\\$`])/g, '$1')));
  }
  return words;
}

function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// Returns { exit, stdout, stderr } of a run of the program, as text.
async function sts(args, files, signal) {
  const { exit, out, fault } = await runModule(program, ['kubectl-sts_plan', ...args], files, signal);
  return { exit, stdout: decoded(out[1]), stderr: decoded(out[2]) + (fault ? `error: the program stopped: ${fault}\n` : '') };
}

// Runs a program in a worker of its own, until it ends, takes too long, or the signal is aborted.
function runModule(module, args, files, signal) {
  return new Promise((resolve) => {
    const worker = new Worker(WORKER);
    const end = (result) => {
      clearTimeout(limit);
      worker.terminate();
      resolve(result);
    };
    const fail = (fault) => end({ exit: null, out: { 1: [], 2: [] }, fault });
    const limit = setTimeout(() => fail(`it took more than ${MAX_TIME / 1000} s, run it in a shell`), MAX_TIME);
    worker.addEventListener('message', ({ data }) => end(data));
    worker.addEventListener('error', (event) => fail(event.message));
    signal?.addEventListener('abort', () => fail('the settings have changed'));
    worker.postMessage({ module, args, files });
  });
}

function decoded(chunks) {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
}

// Updates the list of sets after a change of the input.
async function renew() {
  for (const side of sides) busy(side, true);
  const { words, files } = source();
  const columns = 'custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name';
  const { stdout } = await sts([...words, '-o', columns, '--no-headers'], files);
  const names = stdout.split('\n').filter(Boolean).map((line) => line.trim().split(/\s+/).join('/'));
  for (const { form } of sides) {
    const field = form.elements.set;
    const kept = names.length > 1 && names.includes(field.value) ? field.value : '';
    field.replaceChildren(new Option(names.length === 1 ? names[0] : 'all', ''));
    if (names.length > 1) for (const name of names) field.append(new Option(name, name));
    field.value = kept;
  }
  await renewSides(sides);
}

async function renewSides(changed) {
  const run = ++runs;
  for (const side of changed) busy(side, true);
  await Promise.all(changed.map(plan));
  // A later run plans later changes.
  if (run === runs && sides.length > 1) await showDifferences();
  if (run === runs) for (const side of sides) busy(side, false);
}

async function plan(side) {
  const { section } = side;
  const { args, files } = command(side);
  side.runs?.abort();
  side.runs = new AbortController();
  side.json = null;
  const { signal } = side.runs;
  find('.command', section).textContent = ['kubectl', 'sts-plan', ...args].map(quoted).join(' ');
  const begun = performance.now();
  const { stdout, stderr, exit } = await planned(args, 'html', files, signal);
  const took = performance.now() - begun;
  if (signal.aborted) return;
  const page = new DOMParser().parseFromString(stdout, 'text/html');
  const parts = stdout ? [...page.querySelectorAll('main > header, main > section.plan')] : [];
  for (const part of parts) renameIds(part, `side-${side.index}-`, side.index === 0 ? '' : ', second settings');
  find('.result', section).replaceChildren(...parts.map((part) => document.adoptNode(part)));
  for (const part of parts) part.matches('section') ? enliven(part) : search(part);
  const problem = find('.problem', section);
  problem.textContent = stderr;
  problem.hidden = stderr === '';
  const what = parts.length > 0 ? 'Planned' : 'No plan';
  const saved = Object.keys(files).length > 0 ? ` Save the input as ${Object.keys(files).join(' and ')} for the command above.` : '';
  find('.state', section).textContent = `${what} in ${Math.max(1, Math.round(took))} ms, exit code ${exit ?? 'none'}.${saved}`;
  if (find('.json', section).open) await showJson(side);
}

// Returns what a plan prints in a format of the page.
async function planned(args, format, files, signal) {
  const error = formatError(args);
  return error ? { exit: null, stdout: '', stderr: error } : sts([...args, '-o', format], files, signal);
}

// Makes the ids and the names of landmarks of two reports in one page unique.
function renameIds(part, prefix, which) {
  for (const element of [part, ...part.querySelectorAll('*')]) {
    for (const attribute of [...element.attributes]) {
      const { name, value } = attribute;
      if (name === 'id') attribute.value = prefix + value;
      else if (name === 'aria-label') attribute.value = value + which;
      else if (name === 'aria-labelledby') attribute.value = value.split(' ').map((id) => prefix + id).join(' ');
      else if (value.includes('url(#')) attribute.value = value.replaceAll('url(#', `url(#${prefix}`);
      else if (/^(xlink:)?href$/.test(name) && value.startsWith('#')) attribute.value = `#${prefix}${value.slice(1)}`;
    }
  }
}

// A row of the table of sets opens the plan of that set.
function followRow(event, side) {
  const link = event.target.closest?.('.overview a');
  if (!link) return;
  event.preventDefault();
  const field = side.form.elements.set;
  if (![...field.options].some((option) => option.value === link.textContent)) return;
  field.value = link.textContent;
  field.focus();
  renewSides([side]);
}

async function jsonOf(side) {
  const { args, files } = command(side);
  side.json ??= planned(args, 'json', files, side.runs?.signal);
  return (await side.json).stdout;
}

async function showJson(side) {
  const details = find('.json', side.section);
  if (details.open) find('pre', details).textContent = await jsonOf(side);
}

async function showDifferences() {
  const [first, second] = [await jsonOf(sides[0]), await jsonOf(sides[1])];
  const { stdout, stderr } = await sts(['diff', 'first.json', 'second.json'], { 'first.json': first, 'second.json': second });
  const text = first && second ? stdout || stderr : 'Two plans are required to compare.';
  find('#differences pre').textContent = text;
}

// Stores the fields in the fragment of the address, which browsers do not send.
async function share() {
  const state = {
    demo: demo.value || undefined,
    input: demo.value ? undefined : input.value,
    apply: apply.value || undefined,
    sides: sides.map(settings).map(linked),
  };
  const packed = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream('gzip'));
  const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(''));
  const fragment = `#plan=${text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
  history.replaceState(null, '', fragment);
  const done = await copied(location.href);
  const long = location.href.length > LONG_LINK ? ` It has ${spaced(location.href.length)} characters; many programs truncate links of that length.` : '';
  find('#shared').textContent = (done ? 'Link copied. It contains the input and the settings.' : 'The link is in the address bar.') + long;
}

async function fromLink() {
  const packed = /^#plan=([\w-]+)$/.exec(location.hash);
  if (!packed) return false;
  try {
    const text = new TextDecoder().decode(await inflated(packed[1].replaceAll('-', '+').replaceAll('_', '/'), MAX_TEXT));
    const state = JSON.parse(text);
    choose(examples.some(({ name }) => name === state.demo) ? state.demo : '');
    if (!demo.value) input.value = String(state.input ?? '');
    apply.value = String(state.apply ?? '');
    const wanted = Array.isArray(state.sides) ? state.sides : [];
    compare(wanted.length > 1);
    sides.forEach((side, index) => settle(side, linked(wanted[index] ?? {})));
    return true;
  } catch {
    find('#shared').textContent = 'Invalid link: the settings cannot be read.';
    return false;
  }
}
