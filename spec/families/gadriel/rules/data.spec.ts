import { describeRules } from './rule-table.ts';

describeRules('from flask import request\n', [
  {
    rule: 'L3-027',
    bad: `
import pickle
pickle.loads(request.data)
---
import cPickle
cPickle.loads(request.cookies["a"])
---
import base64, dill
dill.loads(base64.b64decode(request.args["a"]))
---
import joblib
joblib.load(request.files["a"])
---
import pickle, socket
pickle.loads(socket.socket().recv(100))
---
import cloudpickle, requests
cloudpickle.loads(requests.get("https://example.org/a", timeout=5).content)
---
import jsonpickle
jsonpickle.decode(request.get_data())
---
import marshal
marshal.loads(request.data)
---
import pandas as pd
pd.read_pickle(request.files["a"])
---
import pickle, io
pickle.Unpickler(io.BytesIO(request.data)).load()
`,
    good: `
import pickle
pickle.dumps(request.data)
---
import json
json.loads(request.data)
---
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import pickle
json_text = request.data
---
class Store:
    def loads(self, data):
        return data
Store().loads(request.data)
`,
  },
  {
    rule: 'L3-028',
    bad: `
import joblib
def model(path):
    return joblib.load(path)
---
import pandas
def table(path):
    return pandas.read_pickle(path)
---
import pickle
def restore(blob):
    return pickle.loads(blob)
---
import pickle
def restore(path):
    with open(path, "rb") as handle:
        return pickle.load(handle)
---
from cloudpickle import loads
def restore(blob):
    return loads(blob)
---
import jsonpickle
def restore(text):
    return jsonpickle.decode(text)
---
import jsonpickle
def restore(state):
    return jsonpickle.unpickler.Unpickler().restore(state)
---
import cloudpickle
def restore(handle):
    return cloudpickle.Unpickler(handle).load()
`,
    good: `
import pickle
def copy(thing):
    return pickle.loads(pickle.dumps(thing))
---
import pickle
pickle.loads(b"N.")
---
import joblib
joblib.load("model.joblib")
---
import yaml
def restore(text):
    return yaml.safe_load(text)
---
import pickle, tempfile
def round_trip(thing):
    handle = tempfile.TemporaryFile()
    pickle.dump(thing, handle)
    handle.seek(0)
    return pickle.load(handle)
`,
  },
  {
    rule: 'L3-029',
    bad: `
import yaml
def restore(**options):
    from flask import request
    return yaml.load(request.data, **options)
---
import yaml
def read(text):
    return yaml.load(text)
---
import yaml
def read(text):
    return yaml.load(text, Loader=yaml.FullLoader)
---
from yaml import load, Loader
def read(text):
    return load(text, Loader)
---
import yaml
def read(text):
    return list(yaml.load_all(text, Loader=yaml.CLoader))
---
import yaml
def read(text):
    return yaml.unsafe_load(text)
---
import yaml
class Mine(yaml.Loader):
    pass
def read(text):
    return yaml.load(text, Loader=Mine)
---
import ruamel.yaml
ruamel.yaml.YAML(typ="unsafe")
---
from yaml import UnsafeLoader
def read(text):
    return UnsafeLoader(text).get_single_data()
`,
    good: `
import yaml
def restore(text, **options):
    return yaml.load(text, **options)
---
import yaml
def read(text):
    return yaml.load(text, Loader=yaml.SafeLoader)
---
import yaml
def read(text):
    return yaml.load(text, yaml.loader.BaseLoader)
---
try:
    from yaml import CSafeLoader as Loader
except ImportError:
    from yaml import SafeLoader as Loader
import yaml
def read(text):
    return yaml.load(text, Loader=Loader)
---
import yaml
class Mine(yaml.SafeLoader):
    pass
def read(text):
    return yaml.load(text, Loader=Mine)
---
import yaml
def read(text, loader):
    return yaml.load(text, Loader=loader)
---
import yaml
def read(text):
    return yaml.safe_load(text)
---
import yaml
def read(text, options):
    return yaml.load(text, **options)
---
from ruamel.yaml import YAML
YAML().load("a: 1")
`,
  },
  {
    rule: 'L3-030',
    bad: `
import torch
def model(path):
    return torch.load(path)
---
import torch
torch.load("a.pt", weights_only=False)
---
import numpy as np
def array(path):
    return np.load(path, allow_pickle=True)
---
from tensorflow.keras.models import load_model
def model(path):
    return load_model(path, safe_mode=False)
`,
    good: `
import torch
def model(path):
    return torch.load(path, weights_only=True)
---
import numpy as np
def array(path):
    return np.load(path)
---
import numpy as np
def array(path):
    return np.load(path, allow_pickle=False)
---
from tensorflow.keras.models import load_model
def model(path):
    return load_model(path)
`,
  },
  {
    rule: 'L3-031',
    bad: `
from lxml import etree
etree.XMLParser(resolve_entities=True)
---
from lxml import etree
etree.XMLParser(no_network=False)
---
import xml.sax
from xml.sax.handler import feature_external_ges
parser = xml.sax.make_parser()
parser.setFeature(feature_external_ges, True)
---
import xml.etree.ElementTree as ET
ET.fromstring(request.data)
---
from xml.dom import minidom
minidom.parseString(request.get_data())
---
from lxml import etree
etree.fromstring(request.data)
`,
    good: `
from defusedxml import ElementTree
ElementTree.fromstring(request.data)
---
from lxml import etree
parser = etree.XMLParser(resolve_entities=False)
etree.fromstring(request.data, parser)
---
import xml.etree.ElementTree as ET
def read(path):
    return ET.parse(path)
---
import xml.sax
from xml.sax.handler import feature_external_ges
parser = xml.sax.make_parser()
parser.setFeature(feature_external_ges, False)
`,
  },
  {
    rule: 'L3-036',
    bad: `
import re
re.match(r"^(a+)+$", request.args["x"])
---
import re
PATTERN = re.compile(r"(\\w+\\s?)*$")
PATTERN.match(request.args["x"])
---
import re
re.sub(r"([a-z]*)*;", "", request.form["x"])
---
import re
re.search(request.args["pattern"], "text")
---
import re
re.fullmatch("(?:[0-9]+){2,}", request.args["x"])
`,
    good: `
import re
re.match(r"^[a-z]+$", request.args["x"])
---
import re
def check(text):
    return re.match(r"^(a+)+$", text)
---
import re
re.match(r"^(\\w+,)+$", request.args["x"])
---
import re
re.search(re.escape(request.args["pattern"]), "text")
---
import re
re.match(r"^[(]+[)]+$", request.args["x"])
`,
  },
  {
    rule: 'L3-033',
    bad: `
import logging
logging.info("login " + request.form["user"])
---
import logging
logger = logging.getLogger(__name__)
logger.warning(f"login {request.form['user']}")
---
from flask import current_app
current_app.logger.error("login %s" % request.form["user"])
`,
    good: `
import logging
logging.info("login %s", request.form["user"])
---
import logging
logging.info(f"login {request.form['user']!r}")
---
import logging
def note(user):
    logging.info("login " + user)
---
print("login " + request.form["user"])
`,
  },
  {
    rule: 'L3-034',
    bad: `
import logging
def connect(password):
    logging.info("password is %s", password)
---
import logging
log = logging.getLogger("a")
def connect(user):
    log.debug(f"{user.name} {user.api_key}")
---
def connect(logger, config):
    logger.error("failed with " + config["client_secret"])
---
def connect(access_token):
    print("token", access_token)
`,
    good: `
import logging
def connect(password):
    logging.info("password set: %s", bool(password))
---
import logging
def connect(password_hash):
    logging.info("hash %s", password_hash)
---
import tokenize
def scan(token):
    print(token)
---
import logging
def connect(user):
    logging.info("wrong password for %s", user)
---
import logging
from app import mask
def connect(password):
    logging.info("password %s", mask(password))
---
import logging
def reset(password_reset_url, password_length):
    logging.info("%s %d", password_reset_url, password_length)
`,
  },
]);
