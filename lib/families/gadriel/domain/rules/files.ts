/** Paths from outside: opened and changed (L3-021), unpacked (L3-022, 023), uploads under their own name (L3-024). */
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { hasFlag, isNone, partsOf, stringOf, truthOf, literalText } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { checksMembers } from './member-checks.ts';
import { calleeOf } from './event-names.ts';
import { flowLevel, reportAudit, reportFlow, reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { nameText } from './value-facts.ts';

const openedPath = defineRule({
  id: 'CODE-W1-L3-021',
  cwe: 'CWE-22',
  severity: 'high',
  confidence: 'high',
  title: 'Untrusted path is opened or changed',
  message: '{what} decides which file {sink} works on.',
  remediation: 'Resolve the path and check is_relative_to(base), or use secure_filename or safe_join.',
  owasp: ['A01:2021'],
  why: 'A value with ../ or an absolute path leaves the folder that was meant, also behind os.path.join. '
    + 'Only the resolved path tells where the file really is.',
  bad: 'from flask import request\n\ndef read():\n    return {"text": open("notes/" + request.args["name"]).read()}\n',
  good: 'from flask import request\nfrom werkzeug.utils import secure_filename\n\ndef read():\n'
    + '    return {"text": open("notes/" + secure_filename(request.args["name"])).read()}\n',
});

const tarExtract = defineRule({
  id: 'CODE-W1-L3-022',
  cwe: 'CWE-22',
  severity: 'high',
  confidence: 'high',
  title: 'Tar archive unpacked without a filter',
  message: '{sink} unpacks members wherever their names point.',
  remediation: 'Pass filter="data".',
  owasp: ['A01:2021'],
  why: 'Members named ../x or /etc/x, and links that point outside, are followed by default before Python 3.14. '
    + 'The data filter refuses them.',
  bad: 'import tarfile\n\ndef unpack(path):\n    with tarfile.open(path) as archive:\n        archive.extractall("/srv/data")\n',
  good: 'import tarfile\n\ndef unpack(path):\n    with tarfile.open(path) as archive:\n'
    + '        archive.extractall("/srv/data", filter="data")\n',
});

const zipEntry = defineRule({
  id: 'CODE-W1-L3-023',
  cwe: 'CWE-22',
  severity: 'medium',
  confidence: 'medium',
  title: 'Archive entry name used as a path',
  message: '{what} decides which file {sink} works on.',
  remediation: 'Use ZipFile.extract, or resolve the path and check is_relative_to(base).',
  owasp: ['A01:2021'],
  why: 'The names in an archive are free text of its author, ../ included. '
    + 'ZipFile.extract cleans them; open and shutil do not.',
  bad: 'import zipfile\n\ndef unpack(path):\n    bundle = zipfile.ZipFile(path)\n    for name in bundle.namelist():\n'
    + '        with open("/srv/data/" + name, "wb") as out:\n            out.write(bundle.read(name))\n',
  good: 'import zipfile\n\ndef unpack(path):\n    bundle = zipfile.ZipFile(path)\n    for name in bundle.namelist():\n'
    + '        bundle.extract(name, "/srv/data")\n',
});

const uploadName = defineRule({
  id: 'CODE-W1-L3-024',
  cwe: 'CWE-434',
  severity: 'medium',
  confidence: 'medium',
  title: 'Upload saved under the name its sender gave',
  message: '{what} decides where {sink} stores the upload.',
  remediation: 'Store uploads under a generated name, or at least pass the name through secure_filename and check its extension.',
  owasp: ['A01:2021'],
  why: 'The sender chooses name and extension, so the file can land in another folder or be run by the web server. '
    + 'A generated name takes that choice away.',
  bad: 'from flask import request\n\ndef upload():\n    file = request.files["photo"]\n    file.save("/srv/photos/" + file.filename)\n',
  good: 'import uuid\nfrom flask import request\n\ndef upload():\n    file = request.files["photo"]\n'
    + '    file.save(f"/srv/photos/{uuid.uuid4().hex}.jpg")\n',
});

/** Positions of path arguments by qualified name. */
const pathPositions = new Map<string, readonly number[]>();
const takesPath = (names: string, ...positions: number[]): void => {
  for (const name of names.trim().split(/\s+/)) pathPositions.set(name, positions);
};
takesPath(`open os.open os.fdopen aiofiles.open flask.send_file flask.send_from_directory starlette.responses.FileResponse aiohttp.web.FileResponse
  os.remove os.unlink os.rmdir os.removedirs os.mkdir os.makedirs os.listdir os.scandir os.walk os.chmod os.chown os.truncate os.mkfifo
  shutil.rmtree shutil.chown tarfile.open codecs.open io.FileIO linecache.getlines fileinput.input numpy.loadtxt numpy.fromfile pandas.read_csv
  pandas.read_excel pandas.read_json django.core.files.storage.default_storage.open bottle.static_file sanic.response.file werkzeug.utils.send_file
  django.core.files.File zipfile.ZipFile gzip.open bz2.open lzma.open cv2.imread PIL.Image.open
  django.core.files.storage.FileSystemStorage().open`, 0);
takesPath(`os.rename os.replace os.renames os.link os.symlink shutil.copy shutil.copy2 shutil.copyfile shutil.copytree shutil.move
  shutil.copymode`, 0, 1);
takesPath('shutil.unpack_archive', 1);
/** Methods of pathlib that touch the file. */
const pathMethods = [
  'open', 'read_text', 'read_bytes', 'write_text', 'write_bytes', 'unlink', 'rmdir', 'mkdir', 'touch', 'rename', 'replace', 'iterdir',
  'symlink_to', 'chmod',
];
/** Take an open file as well as a path: a file object out of a request is no path. */
const takesFile = /^(?:tarfile|zipfile|gzip|bz2|lzma|numpy|pandas|PIL|flask|django|werkzeug)\./;

const isPathText = (event: CallEvent, value: Value): boolean => {
  const name = nameText(value);
  if (/^(?:io\.|tempfile\.|open\(|zipfile\.ZipFile\(\)\.(?:open|read)|urllib\.request\.urlopen)/.test(name)) return false;
  if (!takesFile.test(calleeOf(event))) return true;
  return !(hasFlag(value, 'upload') || /\.(?:files|FILES|stream|body|data|get_data\(\)|file|rfile)\b/.test(name))
    || /\.(?:filename|name)$/.test(name);
};

const checkPath = (event: CallEvent, value: Value | undefined): void => {
  if (value === undefined || !isPathText(event, value)) return;
  if (hasFlag(value, 'archive') && flowLevel(value, 'path') > 0 && !/^os\.(?:listdir|scandir|walk)$/.test(calleeOf(event))) {
    reportRule(event, zipEntry, { value });
    return;
  }
  if (hasFlag(value, 'upload') && flowLevel(value, 'path') === 2 && writes(event)) reportRule(event, uploadName, { value });
  else reportFlow(event, openedPath, value, { kind: 'path' });
};

/** Whether a call that takes a path creates or fills the file. */
const writes = (event: CallEvent): boolean => {
  if (/^(?:write_text|write_bytes|touch)$/.test(event.last)) return true;
  const mode = event.arg(event.receiver !== undefined && calleeOf(event).startsWith('pathlib.') ? 0 : 1, 'mode');
  return event.last === 'open' && /[wxa]/.test(stringOf(mode) ?? '');
};

const pathKeywords = ['file', 'path', 'name', 'path_or_file', 'filename_or_fp', 'src', 'directory'];
const namedPath = (event: CallEvent): Value | undefined =>
  pathKeywords.map((word) => event.keywords.get(word)).find((value) => value !== undefined);

/** L3-021 and, for names out of an archive, L3-023. */
const pathMatcher: Matcher = {
  calls: [...new Set([...[...pathPositions.keys()].map((name) => name.slice(name.lastIndexOf('.') + 1)), ...pathMethods])],
  onCall(event) {
    const name = calleeOf(event);
    const positions = pathPositions.get(name);
    if (positions !== undefined) {
      for (const position of positions) {
        checkPath(event, event.args[position] ?? (position === 0 ? namedPath(event) : undefined));
      }
    } else if (name.startsWith('pathlib.') && pathMethods.includes(event.last)) {
      checkPath(event, event.receiver);
    }
  },
};

const tarNames = /^tarfile\.(?:(?:TarFile\.)?open\(\)\.|TarFile\(\)\.)?(?:extractall|extract)$/;

/** L3-022: any filter but fully_trusted is a decision, and so are members that went through a function. */
const tarMatcher: Matcher = {
  calls: ['extractall', 'extract', 'unpack_archive', '_extract_member'],
  onCall(event) {
    const { last } = event;
    const name = calleeOf(event);
    if (last === 'unpack_archive') {
      const archive = event.arg(0, 'filename');
      if (name !== 'shutil.unpack_archive' || archive === undefined || event.arg(3, 'filter') !== undefined || event.openKeywords) return;
      const format = stringOf(event.arg(2, 'format')) ?? literalText(archive);
      // Members of zip files are cleaned by zipfile; a fixed name is mostly an archive of the program's own.
      if (/zip$/.test(format)) return;
      if (stringOf(archive) === undefined) reportRule(event, tarExtract, { value: archive });
      else reportAudit(event, tarExtract);
      return;
    }
    const guessed = event.receiverUnknown && last === 'extractall' && event.module.imports.has('tarfile')
      && /tar|^tf?\.|tgz/i.test(event.written);
    if (!tarNames.test(name) && !guessed) return;
    const filter = event.arg(-1, 'filter');
    const trusting = stringOf(filter) === 'fully_trusted' || /fully_trusted_filter$/.test(nameText(filter));
    if (filter === undefined ? event.openKeywords : !trusting) {
      return;
    }
    const members = last === 'extractall' ? event.arg(1, 'members') : event.arg(0, 'member');
    // Nothing is unpacked.
    if (last === 'extractall' && truthOf(members) === false && !isNone(members)) return;
    const checked = last === 'extractall'
      ? members !== undefined && !/\.(?:getmembers|getnames)\(\)$/.test(nameText(members))
      : stringOf(members) !== undefined || (members !== undefined && flowLevel(members, 'path') === 0);
    if (checked || checksMembers(event)) reportAudit(event, tarExtract);
    else reportRule(event, tarExtract, { value: event.receiver });
  },
};

/** L3-024: the name is the upload's own, whatever folder stands before it. */
const saveMatcher: Matcher = {
  calls: ['save'],
  onCall(event) {
    const target = event.arg(0, 'dst');
    if (target === undefined || event.receiver === undefined) return;
    const upload = hasFlag(event.receiver, 'upload') || (hasFlag(event.receiver, 'request') && /\.files\b/.test(calleeOf(event)));
    const ownName = partsOf(target).some((part) => typeof part !== 'string' && flowLevel(part, 'path') === 2)
      || flowLevel(target, 'path') === 2;
    if (upload && ownName) reportRule(event, uploadName, { value: target });
  },
};

/** L3-021, L3-022, L3-023, L3-024. */
export const fileRules: RuleSet = { rules: [openedPath, tarExtract, zipEntry, uploadName], matchers: [pathMatcher, tarMatcher, saveMatcher] };
