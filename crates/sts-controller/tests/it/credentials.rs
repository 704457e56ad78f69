//! Shapes of credentials in messages. A credential is between « and », and its place is all that the message loses.

use std::time::{Duration, Instant};

use sts_controller::object::without_credentials;

/// Each shape with its name.
const SHAPES: [(&str, &str); 144] = [
    ("variable", "exec: DB_PASSWORD=«hunter»: not found"),
    (
        "spaces around the equal sign",
        "Readiness probe failed: password = «S3Cret-aaaa»",
    ),
    ("one space before the equal sign", "password =«hunter»"),
    ("one space after the equal sign", "password= «hunter»"),
    (
        "aligned keys",
        "user     = web\npassword = «correct»\nport     = 1",
    ),
    ("tabs around the equal sign", "password\t=\t«hunter»"),
    ("numbered name", "DB_PASSWORD_1=«hunter»"),
    ("name in camel case", "dbPassword=«hunter» dbUser=web"),
    ("name with dots", "spring.datasource.password=«hunter»"),
    ("flag with equal sign", "--db-password=«hunter» --port=1"),
    (
        "flag with a space",
        "exec: \"/app --db-password «hunter» --verbose\": no such file",
    ),
    (
        "single-dash flag with a space",
        "usage: app -password «hunter» -v",
    ),
    ("single-dash flag with equal sign", "app -token=«hunter» -v"),
    (
        "single-dash flag in a Go list",
        "args [-db-password «hunter» -v]",
    ),
    ("flags in JSON", "[\"--db-password\",\"«hunter»\",\"-v\"]"),
    (
        "flags in JSON with spaces",
        "[\"--db-password\", \"«correct horse»\", \"-v\"]",
    ),
    ("single-dash flags in JSON", "[\"-password\", \"«hunter»\"]"),
    ("flags in a YAML list", "[--token, «hunter», -v]"),
    (
        "one argument with a space in quotes",
        "[\"--db-password=«correct horse»\", \"-v\"]",
    ),
    (
        "value of a list of flags",
        "--set auth.password=«hunter»,replicas=1",
    ),
    ("Ruby arrow", ":password => «hunter», :port => 1"),
    (
        "Ruby arrow with quotes",
        "\"password\"=>\"«hunter»\", \"port\"=>1",
    ),
    ("PHP arrow", "'password' => '«correct horse»',"),
    ("Go assignment", "password := \"«hunter»\""),
    ("Go assignment without quotes", "token:=«hunter»"),
    ("HCL", "password = \"«correct horse»\""),
    (
        "Python argument",
        "connect(user='web', password='«hunter»')",
    ),
    (
        "Python dictionary",
        "{'user': 'web', 'password': '«hunter»'}",
    ),
    ("shell quotes", "PGPASSWORD='«hunter 2»' psql"),
    ("backticks", "set password=`«correct horse»` now"),
    ("element", "<password>«hunter»</password>"),
    (
        "element with attributes",
        "<DbPassword type=\"text\">«correct horse»</DbPassword>",
    ),
    (
        "element with a name space",
        "<wsse:Password>«hunter»</wsse:Password>",
    ),
    (
        "element with CDATA",
        "<password><![CDATA[«a<b»]]></password>",
    ),
    (
        "escaped element",
        "&lt;password&gt;«hunter»&lt;/password&gt;",
    ),
    (
        "element in JSON",
        "body \"\\u003cpassword\\u003e«hunter»\\u003c/password\\u003e\"",
    ),
    (
        "attribute",
        "<user name=\"web\" password=\"«correct horse»\"/>",
    ),
    (
        "key and value attributes",
        "<add key=\"DbPassword\" value=\"«correct horse»\" />",
    ),
    (
        "property element",
        "<property name=\"password\" value=\"«hunter»\"/>",
    ),
    (
        "name and value elements",
        "<name>password</name><value>«hunter»</value>",
    ),
    (
        "URL-encoded form",
        "user%3Dweb%26password%3D«hunter»%26a%3D1",
    ),
    (
        "URL-encoded parameter",
        "GET /login?next=%2Fa%3Ftoken%3D«hunter»&x=1",
    ),
    ("URL-encoded colon", "password%3A«hunter» failed"),
    ("form", "user=web&password=«hunter»&remember=1"),
    ("query parameter", "GET /v1?api_key=«hunter»&page=2: 403"),
    ("credential", "credential=«hunter»"),
    ("credentials", "credentials: \"«hunter»\""),
    (
        "database credential in JSON",
        "{\"dbCredential\":\"«hunter»\"}",
    ),
    ("JSON", "body {\"api_key\": \"«hunter2»\", \"a\": 1}"),
    ("JSON without spaces", "{\"secret\":\"«hunter»\",\"a\":1}"),
    ("JSON with a number", "{\"password\": «12345», \"a\": 1}"),
    ("JSON in JSON", "body {\\\"secret\\\":\\\"«hunter»\\\"}"),
    (
        "JSON in JSON in JSON",
        "\"{\\\\\\\"secret\\\\\\\":\\\\\\\"«hunter»\\\\\\\"}\"",
    ),
    (
        "escaped quote inside",
        "{\"password\":\"«ab\\\"cd»\",\"a\":1}",
    ),
    (
        "escaped quote inside JSON in JSON",
        "{\\\"password\\\":\\\"«ab\\\\\\\"cd»\\\",\\\"a\\\":1}",
    ),
    (
        "backslash at the end",
        "{\"password\":\"«ab\\\\»\",\"a\":1}",
    ),
    ("comma inside quotes", "password=\"«a,b»\", port=1"),
    ("comma inside a value", "password=«hun,ter» port=1"),
    ("semicolon inside a value", "password=«hun;ter» port=1"),
    ("bracket inside a value", "password=«hun)ter» port=1"),
    ("quote inside a value", "password=«hun'ter» port=1"),
    ("ampersand inside a value", "password=«hun&ter» port=1"),
    (
        "list of pairs with commas",
        "host=db,password=«hunter»,port=1",
    ),
    (
        "connection string",
        "Server=db;User Id=web;Password=«hunter»;Encrypt=1",
    ),
    ("ODBC", "DRIVER=x;UID=web;PWD=«hunter»;"),
    (
        "libpq",
        "host=db user=web password=«hunter» dbname=x: no route",
    ),
    (
        "storage account",
        "AccountName=a;AccountKey=«aGVsbG8=»;EndpointSuffix=b",
    ),
    ("YAML line", "user: web\npassword: «hunter»\nport: 1"),
    ("YAML with quotes", "password: \"«correct horse»\"\nport: 1"),
    (
        "YAML in a string",
        "user: web\\npassword: «hunter2»\\nport: 1",
    ),
    ("YAML flow", "{user: web, password: «hunter», port: 1}"),
    ("colon with a digit", "login failed, password: «hunter2.»"),
    ("colon with a sign", "login failed, password: «hunter!»"),
    ("colon in camel case", "token: «abcDefGhi» is unknown"),
    (
        "Go structure",
        "config {User:web Password:«hunter2» Port:5432}",
    ),
    (
        "Go structure without a digit",
        "&{web,Password:«hunter»,Port:5432}",
    ),
    (
        "Go structure with quotes",
        "Config{User:\"web\", Password:\"«correct horse»\", Port:5432}",
    ),
    ("Go map", "map[password:«hunter2» user:web]"),
    (
        "environment variable of Go",
        "EnvVar{Name:DB_PASSWORD,Value:«hunter»,ValueFrom:nil,}",
    ),
    (
        "environment variable of Go with commas",
        "&EnvVar{Name:DB_PASSWORD,Value:«a, b,c»,ValueFrom:nil,}",
    ),
    (
        "environment variable of Go with quotes",
        "v1.EnvVar{Name:\"DB_PASSWORD\", Value:\"«correct horse»\", ValueFrom:nil}",
    ),
    (
        "environment variable in JSON",
        "{\"name\":\"DB_PASSWORD\",\"value\":\"«hunter»\"}",
    ),
    (
        "environment variable in JSON with spaces",
        "{\"name\": \"DB_PASSWORD\", \"value\": \"«correct horse»\"}",
    ),
    (
        "environment variable in JSON in JSON",
        "{\\\"name\\\":\\\"DB_PASSWORD\\\",\\\"value\\\":\\\"«hunter»\\\"}",
    ),
    (
        "environment variable in YAML",
        "- name: DB_PASSWORD\n  value: «hunter»\n",
    ),
    (
        "environment variable in escaped YAML",
        "- name: DB_PASSWORD\\n  value: «hunter»\\n",
    ),
    (
        "environment variable in other order",
        "{\"value\":\"«hunter»\",\"name\":\"DB_PASSWORD\"}",
    ),
    (
        "key and value",
        "{\"key\":\"token\",\"value\":\"«hunter»\"}",
    ),
    (
        "password of a URL",
        "dial postgres://web:«hunter2»@db:5432/web?x=1",
    ),
    ("password of a URL without a user", "redis://:«p»@r"),
    (
        "URL with a slash in the password",
        "parse \"postgres://web:«hun/ter»@db/web\": invalid port",
    ),
    (
        "URL with a hash in the password",
        "dial amqp://web:«hun#ter»@mq:5672",
    ),
    (
        "URL with a question mark in the password",
        "dial amqp://web:«hun?ter»@mq:5672",
    ),
    (
        "URL with an at sign in the password",
        "dial amqp://web:«hun@ter»@mq:5672",
    ),
    (
        "URL with a space in the password",
        "parse \"postgres://web:«hun ter»@db/web\": net/url: invalid userinfo",
    ),
    (
        "URL with a percent sign in the password",
        "parse \"postgres://web:«hun%zzter»@db/web\": failed",
    ),
    (
        "URL with a bracket in the password",
        "parse \"postgres://web:«hun]ter[»@db/web\": failed",
    ),
    (
        "port that Go quotes",
        "parse failed: invalid port \"«:hunter»\" after host",
    ),
    (
        "escape that Go quotes",
        "parse failed: invalid URL escape \"«%zz»\"",
    ),
    (
        "token as user",
        "clone https://«abcdef:x-oauth-basic»@github.com/a/b failed",
    ),
    (
        "token as user without a password",
        "clone https://«0123456789abcdef0123456789abcdef01234567»@github.com/a/b",
    ),
    (
        "token as user with an empty password",
        "clone https://«abcdef:»@host/a",
    ),
    (
        "token as password",
        "clone https://x-access-token:«abcdef»@github.com/a/b",
    ),
    (
        "address without a scheme",
        "image \"web:«hunter2»@r.example:5000/a/b:1\"",
    ),
    ("address with a port", "dial web:«hunter2»@db:5432"),
    ("MySQL", "root:«p=w»@tcp(db:3306)/x"),
    ("list of brokers", "mongodb://web:«hunter»@a:1,b:2/x"),
    ("two URLs", "http://a:«b»@c and http://d:«e»@f"),
    (
        "Authorization with Bearer",
        "got Authorization: Bearer «hunter2.abc»",
    ),
    (
        "Authorization with Token",
        "Authorization: Token «hunter» is refused",
    ),
    (
        "Authorization with an API key",
        "Authorization: ApiKey «hunter»",
    ),
    (
        "Authorization with Basic",
        "authorization: basic «d2ViOmh1bnRlcg==»",
    ),
    (
        "Authorization with pairs",
        "Authorization: Digest «username=\"web\", response=\"0ff1ce\"»",
    ),
    (
        "Authorization of AWS",
        "Authorization: AWS4-HMAC-SHA256 «Credential=AK/1, Signature=0ff»",
    ),
    ("Authorization alone", "Authorization: «hunter2hunter2»"),
    (
        "Authorization in JSON",
        "{\"Authorization\":\"Bearer «hunter»\"}",
    ),
    (
        "Authorization in a Go map",
        "map[Authorization:[Bearer «hunter»] Accept:[a]]",
    ),
    (
        "Proxy-Authorization",
        "Proxy-Authorization: Basic «aHVudGVy»",
    ),
    (
        "header of curl",
        "curl -H 'Authorization: Token «hunter»' http://a",
    ),
    ("bearer token with a digit", "sent Bearer «hunter2x»"),
    (
        "bearer token of letters",
        "sent Bearer «abcdefghijklmnopqrst» to",
    ),
    (
        "bearer token of as few letters as are hidden",
        "sent Bearer «abcdefghijklmnop» to",
    ),
    ("JSON web token", "jwt «eyJhbGciOi.eyJzdWIi.x» is expired"),
    ("X-Api-Key", "X-Api-Key: «hunter»"),
    ("a number that is no version", "token:«1087,a»"),
    ("a password like a version", "{password:«2.6.1», b}"),
    ("X-Vault-Token", "X-Vault-Token: «abcdef»"),
    (
        "cookie",
        "request had Cookie: «a=1; session=hunter2»\nand failed",
    ),
    ("cookie in JSON", "{\"Cookie\":\"«a=1; b=2»\"}"),
    (
        "cookie in a Go map",
        "map[Cookie:[«session=hunter»] Accept:[a]]",
    ),
    ("session id", "PHPSESSID=«hunter»; path=/"),
    (
        "registry auth",
        "{\"auths\":{\"r\":{\"auth\":\"«d2ViOmh1bnRlcg==»\"}}}",
    ),
    (
        "signed URL of Amazon",
        "https://b.s3/o?X-Amz-Credential=«AB%2F1»&X-Amz-Date=1&X-Amz-Signature=«0ff1ce»",
    ),
    (
        "signed URL of Azure",
        "https://a.blob/c?sv=1&sig=«Zm9v%3D»&se=2",
    ),
    (
        "private key",
        "-----BEGIN RSA PRIVATE KEY-----«\nMIIE\n»-----END RSA PRIVATE KEY----- is bad",
    ),
    (
        "shape of a token",
        "clone with «ghp_0123456789abcdefghijABCDEFGHIJ012345» failed",
    ),
    ("SQL", "ALTER USER web WITH PASSWORD '«correct horse»'"),
    ("SQL of MySQL", "CREATE USER web IDENTIFIED BY '«hunter»'"),
    ("Redis configuration", "requirepass «hunter»"),
    ("Redis client", "redis-cli -h r -a «hunter» ping"),
    ("curl", "curl -u web:«hunter» http://a"),
    ("MySQL client", "mysql -u root -p«hunter» -e 'select 1'"),
    ("sshpass", "[\"sshpass\",\"-p\",\"«hunter»\",\"ssh\"]"),
    ("docker login", "docker login -u web -p «hunter» r.example"),
];

#[test]
fn credentials_are_hidden() {
    let mut wrong = Vec::new();
    for (name, shape) in SHAPES {
        let text = shape.replace(['«', '»'], "");
        let mut expected = String::new();
        let mut rest = shape;
        while let Some((before, after)) = rest.split_once('«') {
            let (_, after) = after.split_once('»').unwrap();
            expected += before;
            expected += "(hidden)";
            rest = after;
        }
        expected += rest;
        assert_ne!(text, expected, "{name}");
        let shown = without_credentials(&text);
        if shown != expected {
            wrong.push(format!("{name}:\n  {text}\n  {shown}\n  {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_credential_that_is_cut_off_is_hidden() {
    for text in [
        "password=\"hunter",
        "{\"password\": \"hunter",
        "<password>hunter",
        "Authorization: Bearer hunter",
        "EnvVar{Name:DB_PASSWORD,Value:hunter",
        "-----BEGIN PRIVATE KEY-----\\nhunter",
        "password%3Dhunter",
    ] {
        assert!(!without_credentials(text).contains("hunter"), "{text}");
    }
    let long = "hunter".repeat(5_000);
    for before in [
        "Authorization: Bearer ",
        "Cookie: a=",
        "token=",
        "token: ",
        "X-Api-Key: ",
        "<password>",
        "password=\"",
    ] {
        let text = format!("{before}{long}");
        assert!(!without_credentials(&text).contains("hunter"), "{before}");
    }
}

#[test]
fn other_messages_are_unchanged() {
    for text in [
        "",
        "0/3 nodes are available: 1 Insufficient memory, 2 node(s) had untolerated taint {a: b}.",
        "exceeded quota: q, requested: count/secrets=1, used: count/secrets=9",
        "couldn't find key password in Secret prod/db",
        "secret \"db-password\" not found",
        "MountVolume.SetUp failed for volume \"token\": configmap \"a\" not found",
        "failed to fetch anonymous token: context deadline exceeded",
        "failed to fetch oauth token: x509: certificate signed by unknown authority",
        "failed to fetch token: https://auth.example/token is unreachable",
        "failed to sync secret cache: timed out waiting for the condition",
        "Get https://10.0.0.1:8080/x@y: dial tcp: connection refused",
        "image web:1.27@sha256:0f1e2d3c, r.example:5000/web:1@sha256:0f1e2d3c and git@host:a/b",
        "a Bearer realm=x is asked for, Basic auth",
        "Bearer authentication is required",
        "Bearer abcdefghijklmno of letters only is too short to be told from a word",
        "exec: \"/app --token\": not found",
        "Plugin kubernetes:4306.vc91e951ea_eb_d (via credentials:1087.v16065d268466) depends on git:5.2",
        "Plugin ssh-credentials:2.6.1 requires a greater version of Jenkins",
        "x509: certificate signature: unknown algorithm",
        "no image for kubernetes/sig-storage, config=web",
        "a cookie: see the documentation",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "ghp_short and risk-adapted",
        "if token == nil",
        "automountServiceAccountToken: false, password=$(DB_PASSWORD), token=null",
        "{\"name\":\"DB_PASSWORD\",\"valueFrom\":{\"secretKeyRef\":{\"name\":\"db\",\"key\":\"password\"}}}",
        "EnvVar{Name:MODE,Value:fast,ValueFrom:nil,}",
        "open /var/run/secrets/token: no such file or directory",
        "stat /etc/db/password: permission denied",
        "spec.template.spec.containers[0].env[1].name: Required value",
        "invalid port \":8080\" after host",
        "password authentication failed for user \"web\"",
        "dial tcp: lookup db on 10.96.0.10:53: no such host",
        "unauthorized: authentication required",
        "Authorization: failed",
        "Authorization: Bearer (hidden); password=(hidden)",
        "docker run -p 8080:80 web",
        "error: 1 of 2 volumes: timed out, admin@example.com: see mail",
        "<token> and <b>bold</b>",
    ] {
        assert_eq!(without_credentials(text), text);
    }
}

/// The shortest of three times that it takes to hide the credentials of a text.
#[expect(
    clippy::disallowed_methods,
    reason = "compares how long two texts take"
)]
fn time_of(text: &str) -> Duration {
    let times = (0..3).map(|_| {
        let began = Instant::now();
        let shown = without_credentials(text);
        let took = began.elapsed();
        assert!(shown.len() < 5 * text.len());
        took
    });
    times.min().unwrap()
}

/// Repeated beginnings of credentials, each of which could be searched to the end of the message.
#[test]
fn time_grows_with_the_length_of_a_message_and_no_faster() {
    for part in [
        "token:",
        "password='",
        "\"password\":",
        "cookie: ",
        "://'",
        "a:b@c(",
        "<password ",
        "curl -u ",
        "Authorization: ",
        "password=\\\"",
        "name: password,value:",
        "token:://",
        "-----BEGIN PRIVATE KEY",
        "s.",
        "'x://u:",
        "token: '",
        "value: name: password ",
        "invalid port \"",
    ] {
        let of_length = |length: usize| time_of(&part.repeat(length / part.len()));
        let (short, long) = (of_length(10_000), of_length(80_000));
        // Eight times the length takes eight times as long; a search to the end for each part, 64 times.
        assert!(long < 28 * short, "{part}: {short:?}, {long:?}");
    }
}
