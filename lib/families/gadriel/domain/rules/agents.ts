/** Agents with dangerous tools (AI-605) and models fetched without a pinned version (AI-606). */
import type { CallEvent, Matcher } from '../analysis/model.types.ts';
import { elementsOf, entryOf, stringOf, truthOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { lastSegments } from './event-names.ts';
import { mentions } from './mentions.ts';
import { reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { isBool, textOf } from './value-facts.ts';

const dangerousTool = defineRule({
  id: 'CODE-W1-AI-605',
  cwe: 'CWE-250',
  severity: 'high',
  confidence: 'medium',
  title: 'Agent may run commands or code without approval',
  message: '{sink} lets a model run commands or code on this machine.',
  remediation: 'Run the tool in a container without network, and ask a person before each use.',
  owasp: ['A04:2021', 'LLM08'],
  tags: ['ai'],
  why: 'Text that the agent reads can tell it to use its tools, and a shell can do everything this process may do. '
    + 'A sandbox and a question to a person keep the harm small.',
  bad: 'from langchain_community.tools import ShellTool\n\ntools = [ShellTool()]\n',
  good: 'from langchain_community.tools import ShellTool\n\ntools = [ShellTool(ask_human_input=True)]\n',
});

const unpinnedModel = defineRule({
  id: 'CODE-W1-AI-606',
  cwe: 'CWE-829',
  severity: 'high',
  confidence: 'high',
  title: 'Code or model fetched without a pinned version',
  message: '{sink} loads what the owner of the repository last uploaded.',
  remediation: 'Pass revision="<commit>" and leave trust_remote_code off.',
  owasp: ['A08:2021', 'LLM05'],
  tags: ['ai'],
  why: 'trust_remote_code runs Python out of the model repository, and without a revision its content can change at any time. '
    + 'A pinned commit stays what was looked at.',
  bad: 'from transformers import AutoModel\n\nmodel = AutoModel.from_pretrained("org/model", trust_remote_code=True)\n',
  good: 'from transformers import AutoModel\n\n'
    + 'model = AutoModel.from_pretrained("org/model", revision="5c0b1f6d2f6f0e6c0d3e8b5b7a1e9d4c3b2a1f00")\n',
});

/** Tools that give the model a shell, an interpreter or the file system; by class, whatever module a version keeps them in. */
const toolNames = new Set([
  'ShellTool', 'BashProcess', 'PythonREPLTool', 'PythonAstREPLTool', 'PythonREPL', 'create_python_agent', 'LocalShellTool',
  'LocalCommandLineCodeExecutor', 'WriteFileTool',
  'FileManagementToolkit', 'CodeInterpreterTool', 'create_pandas_dataframe_agent', 'create_csv_agent', 'PALChain', 'BashTool',
  'TerminalTool', 'UnsafeLocalCodeInterpreter',
]);
const agentRoot = /^(?:langchain\w*|autogen\w*|crewai\w*|smolagents|llama_index|agents|semantic_kernel|haystack|ag2|phi|agno)\b/;
/** Names that load_tools of LangChain knows for the same. */
const loadedTools = new Set(['terminal', 'python_repl', 'shell', 'python_repl_ast']);
/** Arguments by which a person is asked first. */
const approvals = [
  'ask_human_input', 'human_input', 'approval', 'require_approval', 'needs_approval', 'human_in_the_loop', 'interrupt_before',
  'approval_func',
];

/** An approval hook anywhere in the file counts: where it is wired up differs from library to library. */
const isApproved = (event: CallEvent): boolean =>
  approvals.some((keyword) => event.keywords.has(keyword) && truthOf(event.keywords.get(keyword)) !== false)
  || mentions(event, 'module', /HumanApprovalCallbackHandler|HumanInTheLoopMiddleware|interrupt_before|interrupt_on/);

/** Switches that say in their name what they allow. */
const dangerousKeywords = [
  'allow_dangerous_code', 'allow_dangerous_requests', 'allow_dangerous_deserialization', 'allow_dangerous_tools',
  'allow_dangerous_execution', 'trust_remote_code',
];

/** AI-605, and the half of AI-606 that runs code: both are switched on by keywords that mean one thing in every library. */
const toolMatcher: Matcher = {
  calls: [...toolNames, 'load_tools'],
  keywords: [...dangerousKeywords, 'code_execution_config', 'unsafe_mode'],
  onCall(event) {
    const { name, keywords } = event;
    for (const keyword of dangerousKeywords) {
      if (truthOf(keywords.get(keyword)) !== true) continue;
      const rule = keyword === 'trust_remote_code' ? unpinnedModel : dangerousTool;
      reportRule(event, rule, keyword === 'allow_dangerous_deserialization' ? { cwe: 'CWE-502' } : {});
      return;
    }
    if (name === undefined || !agentRoot.test(name)) return;
    if (toolNames.has(event.last) && !isApproved(event) && !/dataframe|csv/.test(event.last)) reportRule(event, dangerousTool);
    else if (event.last === 'load_tools') {
      const dangerous = elementsOf(event.args[0])?.some((tool) => loadedTools.has(textOf(tool))) ?? false;
      if (dangerous && !isApproved(event)) reportRule(event, dangerousTool);
    } else if (isBool(entryOf(keywords.get('code_execution_config'), 'use_docker'), false) || isBool(keywords.get('unsafe_mode'), true)) {
      reportRule(event, dangerousTool);
    }
  },
};

/** Libraries that download from the Hugging Face hub. */
const hubRoot = /^(?:transformers|diffusers|datasets|huggingface_hub|peft|sentence_transformers|timm|tokenizers|evaluate|optimum|accelerate)\b/;
const hubCalls = new Set(['from_pretrained', 'load_dataset', 'hf_hub_download', 'snapshot_download', 'from_hub', 'load_metric']);

/** `org/name` or `name`: no local path, no file. */
const isHubName = (text: string): boolean =>
  /^[\w.-]+(?:\/[\w.-]+)?$/.test(text) && !text.startsWith('.') && !/\.(?:json|csv|txt|parquet|bin|pt)$/.test(text);
/** Loaders of local files that share a call with data sets of the hub. */
const builders = new Set(['json', 'csv', 'text', 'parquet', 'imagefolder', 'audiofolder', 'arrow', 'pandas', 'webdataset', 'xml']);

/** AI-606 without remote code: what is loaded can change until a revision is named. */
const hubMatcher: Matcher = {
  calls: [...lastSegments(hubCalls), 'load'],
  onCall(event) {
    const { name, last } = event;
    if (name === undefined || event.openKeywords || truthOf(event.keywords.get('trust_remote_code')) === true) return;
    if (name === 'torch.hub.load') {
      const repository = stringOf(event.arg(0, 'repo_or_dir'));
      const local = stringOf(event.keywords.get('source')) === 'local';
      if (repository !== undefined && !local && !repository.includes(':'))
        reportRule(event, unpinnedModel, { severity: 'medium', confidence: 'medium' });
      return;
    }
    if (!hubRoot.test(name) || !hubCalls.has(last)) return;
    const keyword = last.startsWith('load') ? 'path' : last === 'from_pretrained' ? 'pretrained_model_name_or_path' : 'repo_id';
    const repository = stringOf(event.arg(0, keyword));
    if (repository === undefined || !isHubName(repository) || (last === 'load_dataset' && builders.has(repository))) return;
    const pinned = event.keywords.has('revision') || event.keywords.has('code_revision')
      || isBool(event.keywords.get('local_files_only'), true);
    if (!pinned) reportRule(event, unpinnedModel, { severity: 'medium', confidence: 'medium' });
  },
};

/** AI-605, AI-606. */
export const agentRules: RuleSet = { rules: [dangerousTool, unpinnedModel], matchers: [toolMatcher, hubMatcher] };
