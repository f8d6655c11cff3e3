/** Where data of others comes in (design of gadriel, analysis model: sources). Data only; users add own rows. */
import type { Flag, Level, SourceRow } from './model.types.ts';

const rows = (level: Level, flags: readonly Flag[], note: string, names: string): SourceRow[] =>
  names.trim().split(/\s+/).map((name) => ({ name, level, flags, note }));
const under = (base: string, members: string): string => members.trim().split(/\s+/).map((member) => `${base}.${member}`).join(' ');

const web: readonly Flag[] = ['request'];

export const sourceTable: readonly SourceRow[] = [
  ...rows(2, web, 'taken from the Flask request', under('flask.request', `args form values json data headers cookies get_json get_data
    view_args path full_path url base_url query_string stream environ user_agent referrer authorization host remote_user`)),
  ...rows(2, ['request', 'upload'], 'uploaded file of the request', `flask.request.files django.http.HttpRequest().FILES
    starlette.datastructures.UploadFile() bottle.request.files`),
  ...rows(2, web, 'taken from the Django request', under('django.http.HttpRequest()', `GET POST REQUEST COOKIES META body headers path path_info
    get_full_path data query_params content_params read readline raw_post_data get_host build_absolute_uri`)),
  ...rows(2, web, 'taken from the request', under('starlette.requests.Request()', `query_params path_params headers cookies body json form stream url`)),
  ...rows(2, web, 'received from a websocket', `${under('starlette.websockets.WebSocket()', 'receive_text receive_json receive_bytes query_params path_params headers')}
    websocket.WebSocket().recv websockets.connect().recv`),
  ...rows(2, web, 'taken from the aiohttp request', under('aiohttp.web.Request()', `match_info query rel_url post json text read headers cookies content
    query_string path multipart url raw_path`)),
  ...rows(2, web, 'taken from the Tornado request', under('tornado.web.RequestHandler()', `get_argument get_arguments get_query_argument
    get_query_arguments get_body_argument get_body_arguments get_cookie request path_args path_kwargs`)),
  ...rows(2, web, 'taken from the Bottle request', under('bottle.request', `query forms params json body headers cookies GET POST get_cookie get_header
    query_string url path url_args`)),
  ...rows(2, web, 'taken from the Pyramid request', under('pyramid.request.Request()', `params matchdict GET POST json_body body text headers cookies
    json path url query_string path_info`)),
  ...rows(2, web, 'taken from the request', under('falcon.Request()', `params media stream get_param headers cookies bounded_stream`)),
  ...rows(2, web, 'taken from the request', under('sanic.request.Request()', `args json form files body headers cookies query_args`)),
  ...rows(2, web, 'taken from the request', under('werkzeug.wrappers.Request()', `args form values json data headers cookies files get_json get_data path url query_string`)),
  ...rows(2, web, 'taken from the request', under('cherrypy.request', `params body headers cookie query_string json`)),
  ...rows(2, web, 'typed into the page', under('streamlit', 'text_input() text_area() chat_input() query_params experimental_get_query_params()')),
  ...rows(2, web, 'sent by the client', `socketserver.StreamRequestHandler().rfile socketserver.BaseRequestHandler().request.recv()
    socketserver.DatagramRequestHandler().rfile`),
  ...rows(2, web, 'taken from the request', 'cgi.FieldStorage() cgi.parse()'),
  ...rows(2, web, 'taken from the request', under('http.server.BaseHTTPRequestHandler()', 'path rfile headers requestline')),
  ...rows(2, ['low'], 'typed in by the user', 'input() sys.stdin click.prompt() getpass.getpass()'),
  ...rows(2, ['low'], 'from the command line', 'sys.argv sys.orig_argv'),
  ...rows(1, ['low'], 'from the environment', 'os.environ os.environb os.getenv() os.environ.get()'),
  ...rows(1, ['low'], 'from the command line', `argparse.ArgumentParser().parse_args() argparse.ArgumentParser().parse_known_args()
    optparse.OptionParser().parse_args() getopt.getopt() getopt.gnu_getopt()`),
  ...rows(2, ['network'], 'received from a socket', `socket.socket().recv() socket.socket().recvfrom() socket.socket().recv_into()
    socket.socket().makefile() socket.socket().accept()[].recv() socket.socket().accept()[].recvfrom() asyncio.open_connection()[].read()
    asyncio.StreamReader().read() asyncio.StreamReader().readline() asyncio.StreamReader().readuntil() zmq.Context().socket().recv()
    zmq.Context().socket().recv_string() zmq.Context().socket().recv_json()`),
  ...rows(1, ['network'], 'fetched over the network', `${[
    'get', 'post', 'put', 'patch', 'delete', 'request', 'head', 'options',
  ].flatMap((verb) => ['requests', 'requests.Session()', 'httpx', 'httpx.Client()', 'httpx.AsyncClient()', 'aiohttp.ClientSession()']
    .map((client) => `${client}.${verb}()`)).join(' ')} urllib.request.urlopen() urllib.request.build_opener().open()
    urllib3.PoolManager().request() http.client.HTTPConnection().getresponse() http.client.HTTPSConnection().getresponse()
    boto3.client().get_object() redis.Redis().get() redis.StrictRedis().get() ftplib.FTP().retrbinary()`),
  ...rows(1, ['file'], 'read from a file', `open() pathlib.Path().read_text()
    pathlib.Path().read_bytes() pathlib.Path().open().read() gzip.open().read() linecache.getline() linecache.getlines()
    aiofiles.open().read()`),
  ...rows(1, ['archive'], 'name of an archive member', `zipfile.ZipFile().namelist() zipfile.ZipFile().infolist() tarfile.open().getmembers()
    tarfile.open().getnames() tarfile.open().next() tarfile.open()[]`),
  ...rows(2, ['llm'], 'written by a language model', `${under('openai.OpenAI()', `responses.create() responses.parse() responses.stream()
    chat.completions.create() chat.completions.parse() beta.chat.completions.parse() completions.create() chat.completions.stream()`)}
    openai.ChatCompletion.create() openai.ChatCompletion.acreate() openai.Completion.create() openai.Completion.acreate()
    openai.chat.completions.create() openai.completions.create() openai.responses.create()
    anthropic.Anthropic().messages.create() anthropic.Anthropic().messages.stream() anthropic.Anthropic().completions.create()
    litellm.completion() litellm.acompletion() litellm.text_completion() ollama.chat() ollama.generate() ollama.Client().chat() ollama.Client().generate()
    cohere.Client().generate() cohere.Client().chat() cohere.ClientV2().chat() google.generativeai.GenerativeModel().generate_content()
    google.genai.Client().models.generate_content() vertexai.generative_models.GenerativeModel().generate_content()
    vertexai.preview.generative_models.GenerativeModel().generate_content() mistralai.Mistral().chat.complete() mistralai.client.MistralClient().chat()
    huggingface_hub.InferenceClient().text_generation() huggingface_hub.InferenceClient().chat_completion() huggingface_hub.InferenceClient().chat.completions.create()
    transformers.pipeline()() llama_cpp.Llama()() llama_cpp.Llama().create_completion() llama_cpp.Llama().create_chat_completion() vllm.LLM().generate()
    instructor.from_openai().chat.completions.create() instructor.patch().chat.completions.create() boto3.client().invoke_model() boto3.client().converse()
    ${['langchain_openai.ChatOpenAI', 'langchain_openai.OpenAI', 'langchain_openai.AzureChatOpenAI', 'langchain_anthropic.ChatAnthropic', 'langchain_community.llms.Ollama',
    'langchain_community.chat_models.ChatOllama', 'langchain.chains.LLMChain', 'langchain.chat_models.init_chat_model', 'langchain.LLMChain',
    'langchain.llms.LlamaCpp', 'langchain.llms.HuggingFaceHub', 'langchain.agents.initialize_agent', 'langchain.agents.AgentExecutor', 'langchain_google_genai.ChatGoogleGenerativeAI']
    .flatMap((model) => ['invoke', 'ainvoke', 'predict', 'run', 'generate', 'stream', 'apredict', 'arun', 'batch'].map((verb) => `${model}().${verb}()`).concat(`${model}()()`)).join(' ')}
    llama_index.core.llms.LLM().complete() llama_index.llms.openai.OpenAI().complete() llama_index.llms.openai.OpenAI().chat()`),
  ...rows(0, ['random'], 'from the random module', `${under('random', `random() randint() choice() choices() sample() uniform() randrange() getrandbits()
    randbytes() triangular() gauss()`)} random.Random().random() random.Random().randint() random.Random().choice() random.Random().choices() random.Random().sample()
    random.Random().getrandbits() random.Random().randrange() random.Random().randbytes() numpy.random.randint() numpy.random.rand() numpy.random.choice() numpy.random.bytes()`),
];
