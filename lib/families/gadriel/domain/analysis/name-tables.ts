/**
 * What is known of library names: other spellings of the same thing, classes that functions return, and how the result of
 * a call follows from its arguments. Data only.
 */
import type { Effect } from './names.ts';

const groups = (text: string): string[] => text.trim().split(/\s+/);

/** Names that need no import. */
export const pythonBuiltins: ReadonlySet<string> = new Set(groups(`
  abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod
  enumerate eval exec execfile filter float format frozenset getattr globals hasattr hash help hex id input int isinstance
  issubclass iter len list locals map max memoryview min next object oct open ord pow print property range raw_input reduce
  repr reversed round set setattr slice sorted staticmethod str sum super tuple type unicode unichr vars xrange zip
  __import__ NotImplemented Ellipsis __name__ __file__ __doc__`));

/**
 * Modules that a piece of code may use without its import being in sight (a buffer, a notebook cell, a listing). Only names
 * that are hardly ever used for something else.
 */
export const assumedModules: ReadonlySet<string> = new Set(groups(`
  os sys subprocess pickle cPickle _pickle dill cloudpickle marshal shelve jsonpickle yaml hashlib random tempfile tarfile
  zipfile shutil ssl sqlite3 requests urllib urllib2 httpx paramiko jwt base64 json`));

/** The same for names that belong to a package the file imports: the name, the package, what it stands for. */
export const assumedMembers: readonly (readonly [name: string, imported: string, path: string])[] = [
  ['request', 'flask', 'flask.request'], ['sql', 'psycopg2', 'psycopg2.sql'], ['sql', 'psycopg', 'psycopg.sql'],
];

/** Import roots whose objects the tables speak of: the standard library and the packages named by rules and sources. */
export const knownRoots: ReadonlySet<string> = new Set([...pythonBuiltins, ...groups(`
  abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cgi cmd code codecs codeop
  collections colorsys commands concurrent configparser contextlib contextvars copy copyreg csv ctypes curses dataclasses
  datetime dbm decimal difflib dis email enum errno fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt
  getpass gettext glob grp gzip hashlib heapq hmac html http httplib imaplib imp importlib inspect io ipaddress itertools
  json keyword linecache locale logging lzma mailbox marshal math md5 mimetypes mmap multiprocessing netrc nntplib numbers
  operator optparse os pathlib pdb pickle cPickle _pickle pickletools pipes pkgutil platform plistlib popen2 poplib
  posix posixpath ntpath pprint profile pty pwd queue quopri random re readline reprlib resource runpy sched secrets select
  selectors sets sha shelve shlex shutil signal site smtpd smtplib socket socketserver sqlite3 ssl stat statistics string
  stringprep struct subprocess symtable sys sysconfig syslog tarfile telnetlib tempfile termios textwrap threading time
  timeit tkinter token tokenize tomllib trace traceback tty types typing typing_extensions unicodedata unittest urllib
  urllib2 urlparse uuid venv warnings wave weakref webbrowser winreg wsgiref xml xmlrpc xmlrpclib zipapp zipfile zipimport
  zlib zoneinfo
  Crypto Cryptodome OpenSSL aiofiles aiohttp aiomysql aiopg aiosqlite anthropic asyncpg asyncssh attr attrs authlib autogen
  bcrypt bleach boto boto3 botocore bottle celery certifi cherrypy click cloudpickle cohere crewai cryptography cx_Oracle
  databases datasets defusedxml diffusers dill django duckdb elasticsearch fabric falcon fastapi flask flask_cors
  flask_restful flask_restx flask_sqlalchemy flask_login flask_wtf git google groq gunicorn h11 hdbcli httplib2 httpx huggingface_hub ibm_db
  instructor invoke itsdangerous jinja2 joblib jose jsonpickle jsonschema jwt keras langchain langchain_anthropic
  langchain_community langchain_core langchain_experimental langchain_openai langgraph ldap ldap3 litellm llama_cpp
  llama_index lxml mako markdown markupsafe mechanize mistralai motor msgpack mysql MySQLdb numpy nacl ollama openai oracledb
  orjson pandas paramiko passlib peewee pexpect pg8000 pony psutil psycopg psycopg2 pycurl pydantic pymongo pymssql pymysql
  pyodbc pyramid quart redis requests requests_toolbelt rest_framework rsa ruamel sanic sentence_transformers setuptools
  sh simplejson six snowflake sqlalchemy sqlmodel starlette streamlit gradio tensorflow toml torch torchvision
  tornado transformers treq trio twisted ujson urllib3 uvicorn uvloop vertexai vllm websocket websockets
  werkzeug wtforms xmlsec yaml _yaml hjson zmq`)]);

const canonical: [string, string][] = [
  ['io.open', 'open'], ['codecs.open', 'open'], ['os.popen2', 'os.popen'], ['__builtin__', 'builtins'], ['posix', 'os'],
  ['posixpath', 'os.path'], ['ntpath', 'os.path'], ['six.moves.urllib', 'urllib'], ['six.moves.cPickle', 'pickle'],
  ['six.moves.input', 'input'], ['raw_input', 'input'], ['cPickle', 'pickle'], ['_pickle', 'pickle'], ['pickle._Unpickler', 'pickle.Unpickler'],
  ['pickle._load', 'pickle.load'], ['pickle._loads', 'pickle.loads'],
  ['Cryptodome', 'Crypto'], ['urllib2', 'urllib.request'], ['urlparse', 'urllib.parse'], ['urllib.urlopen', 'urllib.request.urlopen'],
  ['urllib.urlretrieve', 'urllib.request.urlretrieve'], ['urllib.quote', 'urllib.parse.quote'], ['urllib.unquote', 'urllib.parse.unquote'],
  ['urllib.quote_plus', 'urllib.parse.quote_plus'], ['urllib.urlencode', 'urllib.parse.urlencode'], ['httplib', 'http.client'],
  ['pipes.quote', 'shlex.quote'], ['six.moves.shlex_quote', 'shlex.quote'],
  ['flask.globals.request', 'flask.request'], ['quart.request', 'flask.request'], ['flask.globals.session', 'flask.session'],
  ['flask.templating.render_template_string', 'flask.render_template_string'], ['flask.helpers.send_file', 'flask.send_file'],
  ['flask.helpers.make_response', 'flask.make_response'], ['quart.Quart', 'flask.Flask'], ['quart.Blueprint', 'flask.Blueprint'],
  ['flask.app.Flask', 'flask.Flask'], ['flask.blueprints.Blueprint', 'flask.Blueprint'], ['flask.Markup', 'markupsafe.Markup'], ['jinja2.Markup', 'markupsafe.Markup'],
  ['jinja2.utils.markupsafe', 'markupsafe'], ['flask.escape', 'markupsafe.escape'], ['jinja2.escape', 'markupsafe.escape'], ['cgi.escape', 'html.escape'],
  ['jinja2.environment.Environment', 'jinja2.Environment'], ['jinja2.environment.Template', 'jinja2.Template'],
  ['fastapi.Request', 'starlette.requests.Request'], ['fastapi.requests.Request', 'starlette.requests.Request'],
  ['fastapi.UploadFile', 'starlette.datastructures.UploadFile'], ['fastapi.datastructures.UploadFile', 'starlette.datastructures.UploadFile'],
  ['fastapi.applications.FastAPI', 'fastapi.FastAPI'], ['fastapi.routing.APIRouter', 'fastapi.APIRouter'],
  ['fastapi.responses', 'starlette.responses'], ['fastapi.Response', 'starlette.responses.Response'],
  ['fastapi.middleware', 'starlette.middleware'], ['fastapi.WebSocket', 'starlette.websockets.WebSocket'],
  ['django.http.request.HttpRequest', 'django.http.HttpRequest'], ['django.core.handlers.wsgi.WSGIRequest', 'django.http.HttpRequest'],
  ['rest_framework.request.Request', 'django.http.HttpRequest'], ['django.http.response', 'django.http'],
  ['django.utils.safestring.SafeText', 'django.utils.safestring.SafeString'], ['django.utils.html.mark_safe', 'django.utils.safestring.mark_safe'],
  ['django.db.backends.utils.CursorWrapper', 'sqlite3.Cursor'],
  ['aiohttp.web_request.Request', 'aiohttp.web.Request'], ['aiohttp.web.BaseRequest', 'aiohttp.web.Request'], ['aiohttp.client.ClientSession', 'aiohttp.ClientSession'],
  ['requests.sessions.Session', 'requests.Session'], ['requests.session', 'requests.Session'], ['requests.sessions.session', 'requests.Session'],
  ['requests.api', 'requests'], ['pip._vendor.requests', 'requests'], ['botocore.vendored.requests', 'requests'], ['httpx._client.Client', 'httpx.Client'],
  ['sqlite3.dbapi2', 'sqlite3'], ['yaml.cyaml.CSafeLoader', 'yaml.CSafeLoader'], ['yaml.cyaml.CLoader', 'yaml.CLoader'], ['yaml.cyaml.CFullLoader', 'yaml.CFullLoader'],
  ['yaml.cyaml.CUnsafeLoader', 'yaml.CUnsafeLoader'], ['yaml.cyaml.CBaseLoader', 'yaml.CBaseLoader'],
  ['yaml.loader.SafeLoader', 'yaml.SafeLoader'], ['yaml.loader.BaseLoader', 'yaml.BaseLoader'], ['yaml.loader.Loader', 'yaml.Loader'],
  ['yaml.loader.FullLoader', 'yaml.FullLoader'], ['yaml.loader.UnsafeLoader', 'yaml.UnsafeLoader'],
  ['paramiko.client', 'paramiko'], ['tornado.web.tornado.web', 'tornado.web'],
  ['openai.AsyncOpenAI', 'openai.OpenAI'], ['openai.AzureOpenAI', 'openai.OpenAI'], ['openai.AsyncAzureOpenAI', 'openai.OpenAI'], ['openai.Client', 'openai.OpenAI'],
  ['groq.Groq', 'openai.OpenAI'], ['groq.AsyncGroq', 'openai.OpenAI'], ['anthropic.AsyncAnthropic', 'anthropic.Anthropic'],
  ['anthropic.Client', 'anthropic.Anthropic'], ['anthropic.AnthropicBedrock', 'anthropic.Anthropic'], ['anthropic.AnthropicVertex', 'anthropic.Anthropic'],
  ['ollama.AsyncClient', 'ollama.Client'], ['litellm.main.completion', 'litellm.completion'],
  ['langchain.chat_models.ChatOpenAI', 'langchain_openai.ChatOpenAI'], ['langchain_community.chat_models.ChatOpenAI', 'langchain_openai.ChatOpenAI'],
  ['langchain.llms.OpenAI', 'langchain_openai.OpenAI'], ['langchain_community.llms.OpenAI', 'langchain_openai.OpenAI'], ['langchain.OpenAI', 'langchain_openai.OpenAI'],
  ['xml.etree.cElementTree', 'xml.etree.ElementTree'], ['typing_extensions.Annotated', 'typing.Annotated'],
  ['werkzeug.secure_filename', 'werkzeug.utils.secure_filename'], ['django.utils.http.is_safe_url', 'django.utils.http.url_has_allowed_host_and_scheme'],
  ['backports.tempfile', 'tempfile'], ['psycopg2.extensions.connection', 'psycopg2.connect()'], ['pathlib.PurePath', 'pathlib.Path'],
  ['pathlib.PosixPath', 'pathlib.Path'], ['pathlib.PurePosixPath', 'pathlib.Path'],
];

/** Other spellings of a name. A path below a renamed one follows by itself. */
export const canonicalNames: ReadonlyMap<string, string> = new Map([
  ...canonical,
  ...groups(`abs bytes compile dict eval exec execfile float format getattr globals input int iter len list map max min
    next object open print range raw_input repr set setattr sorted str sum super tuple type vars zip __import__`)
    .map((name): [string, string] => [`builtins.${name}`, name]),
]);

/** Calls whose result is an instance of a named class, or the thing they were given. */
export const namedResults: ReadonlyMap<string, string> = new Map([
  ['sqlite3.connect()', 'sqlite3.Connection()'], ['sqlite3.Connection().cursor()', 'sqlite3.Cursor()'],
  ['sqlite3.Connection().execute()', 'sqlite3.Cursor()'], ['sqlite3.Cursor().execute()', 'sqlite3.Cursor()'],
  ['flask.current_app._get_current_object()', 'flask.Flask()'],
  ['pathlib.Path.cwd()', 'pathlib.Path()'], ['pathlib.Path.home()', 'pathlib.Path()'], ['pathlib.Path().resolve()', 'pathlib.Path()'],
  ['pathlib.Path().joinpath()', 'pathlib.Path()'], ['pathlib.Path().absolute()', 'pathlib.Path()'], ['pathlib.Path().expanduser()', 'pathlib.Path()'],
  ['pathlib.Path().with_suffix()', 'pathlib.Path()'], ['pathlib.Path().with_name()', 'pathlib.Path()'], ['pathlib.Path().relative_to()', 'pathlib.Path()'],
  ['tarfile.TarFile.open()', 'tarfile.open()'], ['tarfile.TarFile()', 'tarfile.open()'], ['tarfile.TarFile.gzopen()', 'tarfile.open()'],
  ['logging.Logger()', 'logging.getLogger()'],
]);

const effects = (effect: Effect, text: string): [string, Effect][] => groups(text).map((name) => [name, effect]);

/** Effects of single functions; classes too: `io.BytesIO(tainted)` is tainted. */
export const resultEffects: ReadonlyMap<string, Effect> = new Map([
  ...effects('safe', `
    int float bool complex len abs all any callable divmod hasattr hash id isinstance issubclass ord pow round range sum type
    hex oct bin memoryview.nbytes uuid.UUID uuid.uuid4 uuid.uuid1 decimal.Decimal datetime.datetime datetime.datetime.now datetime.datetime.strptime
    datetime.date.fromisoformat datetime.datetime.fromisoformat time.time os.getpid os.path.exists os.path.isfile os.path.isdir
    os.path.getsize os.path.getmtime os.path.isabs os.path.islink os.path.samefile os.urandom secrets.token_hex secrets.token_urlsafe
    secrets.token_bytes secrets.choice secrets.randbelow secrets.compare_digest hmac.compare_digest hashlib.md5 hashlib.sha1
    hashlib.sha224 hashlib.sha256 hashlib.sha384 hashlib.sha512 hashlib.sha3_256 hashlib.blake2b hashlib.blake2s hashlib.new ipaddress.ip_address ipaddress.IPv4Address
    ipaddress.ip_network stat.S_ISREG stat.S_ISDIR math.floor math.ceil fnmatch.fnmatch
    tempfile.mkstemp tempfile.mkdtemp tempfile.NamedTemporaryFile tempfile.TemporaryFile tempfile.gettempdir tempfile.TemporaryDirectory
    datetime.date.today datetime.timedelta enum.auto range print os.getcwd os.cpu_count sys.exit logging.getLogger
    hashlib.md5().hexdigest hashlib.sha1().hexdigest hashlib.sha256().hexdigest hashlib.sha512().hexdigest werkzeug.security.generate_password_hash
    django.urls.reverse flask.url_for`),
  ...effects('pass', `
    str bytes bytearray unicode repr ascii format list tuple set frozenset dict sorted reversed iter next enumerate zip filter map
    max min getattr vars slice memoryview reduce object
    os.fspath os.fsencode os.fsdecode os.listdir os.scandir os.walk glob.glob glob.iglob
    json.loads json.dumps json.load simplejson.loads simplejson.dumps ujson.loads ujson.dumps orjson.loads orjson.dumps ast.literal_eval yaml.safe_load toml.loads tomllib.loads
    io.BytesIO io.StringIO io.TextIOWrapper io.BufferedReader codecs.decode codecs.encode copy.copy copy.deepcopy itertools.chain itertools.islice
    functools.reduce textwrap.dedent textwrap.fill textwrap.wrap textwrap.indent html.unescape html.escape string.Template string.Formatter().format
    re.sub re.subn re.split re.findall re.match re.search re.fullmatch re.finditer re.escape shlex.quote shlex.split shlex.join
    struct.pack struct.unpack zlib.decompress gzip.decompress bz2.decompress lzma.decompress gzip.GzipFile
    urllib.request.Request xml.sax.saxutils.escape xml.sax.saxutils.quoteattr
    werkzeug.utils.secure_filename werkzeug.utils.safe_join werkzeug.security.safe_join flask.safe_join django.utils._os.safe_join
    markupsafe.escape markupsafe.Markup django.utils.safestring.mark_safe django.utils.safestring.SafeString django.utils.html.escape django.utils.html.conditional_escape
    django.utils.html.format_html django.utils.encoding.force_str django.utils.encoding.smart_str django.utils.encoding.force_text bleach.clean bleach.linkify django.utils.html.strip_tags subprocess.list2cmdline
    sqlalchemy.text sqlalchemy.sql.text sqlalchemy.sql.expression.text psycopg2.sql.SQL psycopg2.sql.Identifier psycopg2.sql.Literal
    zipfile.ZipFile tarfile.open pandas.DataFrame collections.OrderedDict collections.defaultdict collections.namedtuple types.SimpleNamespace
    asyncio.wait_for asyncio.gather typing.cast functools.partial six.text_type six.ensure_str six.ensure_text six.b six.u
    email.message_from_string compile ast.parse jinja2.Template jinja2.Environment().from_string mako.template.Template
    rsa.encrypt operator.itemgetter unicodedata.normalize contextlib.closing contextlib.nullcontext`),
]);

/** Effects of whole modules, tried in order after the single functions. */
export const resultPrefixes: readonly (readonly [string, Effect])[] = [
  ['os.path.', 'pass'], ['urllib.parse.', 'pass'], ['base64.', 'pass'], ['binascii.', 'pass'], ['pathlib.', 'pass'], ['math.', 'safe'],
  ['quopri.', 'pass'], ['itertools.', 'pass'], ['str.', 'pass'], ['re.compile().', 'pass'], ['re.', 'opaque'],
];

/** Numbers of the `stat` and `os` constants that masks are made of (POSIX). */
export const namedNumbers: ReadonlyMap<string, number> = new Map([
  ['S_ISUID', 0o4000], ['S_ISGID', 0o2000], ['S_ISVTX', 0o1000], ['S_IRWXU', 0o700], ['S_IRUSR', 0o400], ['S_IWUSR', 0o200], ['S_IXUSR', 0o100],
  ['S_IRWXG', 0o070], ['S_IRGRP', 0o040], ['S_IWGRP', 0o020], ['S_IXGRP', 0o010], ['S_IRWXO', 0o007], ['S_IROTH', 0o004], ['S_IWOTH', 0o002],
  ['S_IXOTH', 0o001], ['S_IREAD', 0o400], ['S_IWRITE', 0o200], ['S_IEXEC', 0o100],
].map(([name, number]) => [`stat.${name}`, Number(number)]));

/** Calls after which the path ends; by resolved name. */
export const neverReturns: ReadonlySet<string> = new Set(groups(`
  sys.exit exit quit os._exit os.abort flask.abort werkzeug.exceptions.abort aiohttp.web.abort bottle.abort quart.abort os.execv os.execve os.execvp
  os.execl os.execlp argparse.ArgumentParser().error argparse.ArgumentParser().exit optparse.OptionParser().error pytest.fail pytest.skip pytest.exit
  unittest.TestCase().fail unittest.TestCase().skipTest django.http.Http404 click.Abort starlette.exceptions.abort rest_framework.exceptions.abort
  flask_restful.abort flask_restx.abort tornado.web.RequestHandler().send_error cherrypy.HTTPError`));
/** The same by last segment where the callee is not resolved: `abort(400)` from a helper module, `ctx.fail('…')`. */
export const neverReturnsUnresolved: ReadonlySet<string> = new Set(['abort', 'fail', 'die', 'bail', '_exit', 'exit_with_error']);
