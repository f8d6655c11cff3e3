/** Calls that make a value safe for some use (design of gadriel, analysis model: sanitizers). Data only; users add own rows. */
import type { ClearKind, SanitizerRow } from './model.types.ts';

const rows = (clears: readonly ClearKind[], names: string): SanitizerRow[] => names.trim().split(/\s+/).map((name) => ({ name, clears }));

export const sanitizerTable: readonly SanitizerRow[] = [
  ...rows(['all'], `int float bool len ord hash uuid.UUID decimal.Decimal ipaddress.ip_address ipaddress.IPv4Address ipaddress.IPv6Address
    ipaddress.ip_network datetime.datetime.strptime datetime.date.fromisoformat datetime.datetime.fromisoformat django.utils.dateparse.parse_date`),
  // What list2cmdline makes is for a Windows program, not for a shell.
  ...rows(['shell'], 'shlex.quote shlex.join'),
  // Not strip_tags and linkify: the one leaves broken tags, the other leaves all of them.
  ...rows(['html'], `html.escape markupsafe.escape bleach.clean django.utils.html.escape django.utils.html.format_html
    django.utils.html.conditional_escape django.utils.html.escapejs django.utils.html.format_html_join xml.sax.saxutils.escape
    xml.sax.saxutils.quoteattr werkzeug.utils.escape nh3.clean lxml.html.clean.clean_html jinja2.escape markupsafe.Markup.escape
    django.template.defaultfilters.escape django.template.defaultfilters.force_escape tornado.escape.xhtml_escape flask.render_template
    django.shortcuts.render django.template.loader.render_to_string`),
  ...rows(['path'], `werkzeug.utils.secure_filename os.path.basename werkzeug.utils.safe_join werkzeug.security.safe_join flask.safe_join
    django.utils._os.safe_join django.utils.text.get_valid_filename pathvalidate.sanitize_filename`),
  ...rows(['resolved'], 'os.path.realpath os.path.abspath os.path.normpath pathlib.Path().resolve'),
  ...rows(['url'], 'django.urls.reverse flask.url_for urllib.parse.urlencode'),
  // quote() keeps slashes and dots, so `..` and a whole host name go through it (library-calls.ts knows `safe=''`).
  ...rows(['html', 'shell', 'log'], 'urllib.parse.quote'),
  ...rows(['html', 'path', 'shell', 'log'], 'urllib.parse.quote_plus urllib.parse.urlencode'),
  // Plain base64 has slashes.
  ...rows(['html', 'shell', 'sql', 'log'], 'base64.b64encode binascii.b2a_base64'),
  ...rows(['html', 'path', 'shell', 'sql', 'url', 'log', 'regex'], `base64.urlsafe_b64encode base64.b16encode base64.b32encode binascii.hexlify
    binascii.b2a_hex slugify.slugify django.utils.text.slugify`),
  ...rows(['regex'], 're.escape'),
  ...rows(['log'], 'repr ascii json.dumps'),
  ...rows(['sql'], `psycopg2.sql.Identifier psycopg2.sql.Literal psycopg2.sql.Placeholder psycopg.sql.Identifier psycopg.sql.Literal psycopg.sql.Placeholder
    psycopg2.extensions.quote_ident psycopg2.extensions.adapt pymysql.converters.escape_string pymysql.escape_string MySQLdb.escape_string
    sqlalchemy.bindparam sqlalchemy.literal`),
];
