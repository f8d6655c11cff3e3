/** What goes into a model: system prompts (AI-601), fetched text (AI-602), unlimited calls (AI-607), secrets (AI-608). */
import type { CallEvent, Matcher, Value } from '../analysis/model.types.ts';
import { elementsOf, entryOf, hasFlag, partsOf, stringOf } from '../analysis/values.ts';
import { defineRule } from './define-rule.ts';
import { calleeOf, lastSegments, sinkName } from './event-names.ts';
import { flowLevel, reportRule } from './report.ts';
import type { RuleSet } from './rule.types.ts';
import { nameText, textOf } from './value-facts.ts';

const openai = 'from openai import OpenAI\n\nclient = OpenAI()\n\n';

const systemPrompt = defineRule({
  id: 'CODE-W1-AI-601',
  cwe: 'CWE-1427',
  severity: 'high',
  confidence: 'high',
  title: 'Untrusted text in the system prompt',
  message: '{what} becomes part of the system prompt given to {sink}.',
  remediation: 'Keep the system prompt constant and send the text as a user message.',
  owasp: ['LLM01'],
  tags: ['ai'],
  why: 'The system prompt is where a model takes its rules from, so text placed there can replace them. '
    + 'A user message at least has the lower rank.',
  bad: `from flask import request\n${openai}def ask():\n`
    + `    client.responses.create(model="m", instructions="Speak like " + request.args["style"], input="Hi")\n`,
  good: `from flask import request\n${openai}def ask():\n`
    + `    client.responses.create(model="m", instructions="Be brief.", input=request.args["text"])\n`,
});

const fetchedText = defineRule({
  id: 'CODE-W1-AI-602',
  cwe: 'CWE-1427',
  severity: 'medium',
  confidence: 'medium',
  title: 'Fetched text in a prompt without delimiters',
  message: '{what} is joined to the prompt for {sink} with nothing that marks it as data.',
  remediation: 'Wrap the text in a tagged block such as <document>…</document> and say that it is data.',
  owasp: ['LLM01'],
  tags: ['ai'],
  why: 'Pages and files can hold sentences meant for the model. '
    + 'Without a mark where the data begins and ends, they read like the program\'s own instructions.',
  bad: `import requests\n${openai}def digest(url):\n    page = requests.get(url, timeout=5).text\n`
    + `    client.responses.create(model="m", input="Summarise: " + page)\n`,
  good: `import requests\n${openai}def digest(url):\n    page = requests.get(url, timeout=5).text\n`
    + '    client.responses.create(model="m", input="Summarise the document. <document>" + page + "</document>")\n',
});

const noLimit = defineRule({
  id: 'CODE-W1-AI-607',
  cwe: 'CWE-770',
  severity: 'low',
  confidence: 'medium',
  title: 'Model calls in a loop without a token limit',
  message: '{sink} is called in a loop without a limit of tokens.',
  remediation: 'Pass max_tokens (max_output_tokens, max_completion_tokens) and limit the number of rounds.',
  owasp: ['A04:2021', 'LLM04'],
  tags: ['ai'],
  why: 'Each round may produce as many tokens as the model allows, and input from outside can make it do so. '
    + 'A limit keeps one request from using up the budget.',
  bad: `${openai}def label(rows):\n    for row in rows:\n        client.responses.create(model="m", input=row)\n`,
  good: `${openai}def label(rows):\n    for row in rows:\n        client.responses.create(model="m", input=row, max_output_tokens=50)\n`,
});

const promptSecret = defineRule({
  id: 'CODE-W1-AI-608',
  cwe: 'CWE-200',
  severity: 'medium',
  confidence: 'medium',
  title: 'Secret inside a prompt',
  message: 'A value with the name of a secret becomes part of the prompt given to {sink}.',
  remediation: 'Leave the secret out; let code outside the model use it.',
  owasp: ['LLM06'],
  tags: ['ai'],
  why: 'A prompt goes to the provider and can be repeated in any answer. '
    + 'What the model never sees it cannot tell.',
  bad: `import os\n${openai}def ask(task):\n    key = os.environ["DB_PASSWORD"]\n`
    + `    client.responses.create(model="m", input=f"Log in with {key} and {task}")\n`,
  good: `${openai}def ask(task):\n    client.responses.create(model="m", input=f"Write the query for {task}")\n`,
});

/** Model calls by qualified name, as the engine's source table spells them. */
const completionName = new RegExp(
  '^(?:openai\\.(?:OpenAI\\(\\)\\.)?(?:responses|chat\\.completions|beta\\.chat\\.completions|completions)\\.(?:create|parse|stream)'
  + '|openai\\.(?:ChatCompletion|Completion)\\.a?create|anthropic\\.Anthropic\\(\\)\\.(?:beta\\.)?(?:messages|completions)\\.(?:create|stream)'
  + '|litellm\\.a?(?:text_)?completion|ollama\\.(?:Client\\(\\)\\.)?(?:chat|generate)|cohere\\.Client(?:V2)?\\(\\)\\.(?:chat|generate)'
  + '|(?:google|vertexai)\\..*\\.(?:generate_content|send_message|generate_content_async)|mistralai\\..*\\.(?:complete|chat)'
  + '|huggingface_hub\\.InferenceClient\\(\\)\\.(?:text_generation|chat_completion|chat\\.completions\\.create)|instructor\\..*\\.create'
  + '|langchain\\w*\\..*\\(\\)\\.(?:a?invoke|a?predict|a?run|generate|stream|batch)|groq\\..*\\.create)$');

const callNames = [
  'create', 'parse', 'stream', 'acreate', 'completion', 'acompletion', 'text_completion', 'atext_completion', 'chat', 'generate',
  'generate_content',
  'generate_content_async', 'send_message', 'complete', 'text_generation', 'chat_completion', 'invoke', 'ainvoke', 'predict', 'apredict',
  'run', 'arun', 'batch',
];

/** Clients of unknown type count where the call can only be a completion. */
const isCompletion = (event: CallEvent): boolean => {
  if (event.name !== undefined && completionName.test(event.name)) return true;
  return event.receiverUnknown && /(?:^|\.)(?:chat\.completions|messages|responses)\.create$/.test(event.written)
    && (event.keywords.has('model') || event.keywords.has('messages'));
};

type Message = { readonly role: string; readonly content: Value };

/** Roles that rank above the user. */
const systemRoles = new Set(['system', 'developer', 'SystemMessage']);

/** The texts of one message or prompt value: a dict with role and content, a pair, a message object's argument, plain text. */
const messageOf = (value: Value): readonly Message[] => {
  const pair = elementsOf(value);
  if (pair?.length === 2 && stringOf(pair[0]) !== undefined) return [{ role: stringOf(pair[0])!, content: pair[1]! }];
  if (value.shape?.type !== 'Mapping') return [{ role: '', content: value }];
  const content = entryOf(value, 'content') ?? entryOf(value, 'parts') ?? entryOf(value, 'text');
  if (content === undefined) return [];
  const role = textOf(entryOf(value, 'role'));
  const blocks = elementsOf(content);
  return blocks === undefined ? [{ role, content }]
    : blocks.flatMap((block) => messageOf(block).map((message) => ({ role, content: message.content })));
};

const systemKeywords = ['instructions', 'system', 'system_instruction', 'system_prompt', 'preamble'];
const promptKeywords = ['input', 'prompt', 'contents', 'content', 'message', 'user_prompt'];

/** Every text a completion call is given, with the role it plays. */
const messagesOf = (event: CallEvent): readonly Message[] => {
  const found: Message[] = [];
  for (const keyword of systemKeywords) {
    const value = event.keywords.get(keyword);
    if (value !== undefined) found.push({ role: 'system', content: value });
  }
  const named = ['messages', ...promptKeywords].map((keyword) => event.keywords.get(keyword));
  for (const value of event.keywords.has('messages') ? named : [...named, event.args[0]]) {
    if (value === undefined) continue;
    const list = value.shape?.type === 'Sequence' && value.shape.kind === 'list' ? value.shape.elements : [value];
    for (const element of list) found.push(...messageOf(element));
  }
  return found;
};

const closed = /^\s*(?:<|["`'#=-]{3}|\[)/;
/** A tag, fence or rule line right before the text, and one right after it. */
const tagged = /(?:>|["`'#=-]{3}|\])\s*$/;

/** Fetched or read text after an instruction, with no tag, fence or rule line around it. */
const undelimited = (content: Value): Value | undefined => {
  const parts = partsOf(content);
  for (const [index, part] of parts.entries()) {
    if (index === 0 || typeof part === 'string' || flowLevel(part, 'all') === 0) continue;
    // A file that the function is told to read is someone's document; one with a fixed name is part of the program.
    const document = hasFlag(part, 'file') && hasFlag(part, 'param');
    if (!document && !hasFlag(part, 'network') && !hasFlag(part, 'upload')) continue;
    const before = parts[index - 1];
    const after = parts[index + 1];
    const fenced = typeof before === 'string' && tagged.test(before) && (typeof after !== 'string' || closed.test(after));
    if (!fenced && parts.slice(0, index).some((text) => typeof text === 'string' && /[a-z]/i.test(text))) return part;
  }
  return undefined;
};

const checkMessage = (event: CallEvent, { role, content }: Message): void => {
  const sink = sinkName(event);
  if (systemRoles.has(role) && flowLevel(content, 'all') === 2 && !hasFlag(content, 'low'))
    reportRule(event, systemPrompt, { value: content, sink });
  const fetched = undelimited(content);
  if (fetched !== undefined) reportRule(event, fetchedText, { value: fetched, sink });
  const secret = partsOf(content).find((part): part is Value => typeof part !== 'string' && hasFlag(part, 'secret')
    && flowLevel(part, 'all') > 0);
  if (secret !== undefined && content.shape?.type === 'Built') reportRule(event, promptSecret, { value: secret, sink });
};

const limitKeywords = [
  'max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_new_tokens', 'max_tokens_to_sample', 'config', 'generation_config',
  'options', 'num_predict',
];

/** All four rules at the call that sends the prompt. */
const completionMatcher: Matcher = {
  calls: callNames,
  onCall(event) {
    if (!isCompletion(event)) return;
    for (const message of messagesOf(event)) checkMessage(event, message);
    const limited = event.openKeywords || limitKeywords.some((keyword) => event.keywords.has(keyword));
    if (event.inLoop && !limited ) reportRule(event, noLimit);
  },
};

const messageClasses = new Set([
  'langchain_core.messages.SystemMessage', 'langchain.schema.SystemMessage', 'langchain_core.messages.system.SystemMessage',
  'langchain.schema.messages.SystemMessage',
  'llama_index.core.llms.ChatMessage', 'langchain_core.prompts.SystemMessagePromptTemplate.from_template',
  'langchain.prompts.SystemMessagePromptTemplate.from_template',
  'langchain.prompts.chat.SystemMessagePromptTemplate.from_template', 'google.generativeai.GenerativeModel',
  'google.genai.types.GenerateContentConfig',
]);

/** System messages made apart from the call: LangChain's classes, prompt templates of role pairs, Gemini's system_instruction. */
const messageMatcher: Matcher = {
  calls: [...lastSegments(messageClasses), 'from_messages'],
  onCall(event) {
    const name = calleeOf(event);
    const sink = sinkName(event);
    if (event.last === 'from_messages' && name.startsWith('langchain')) {
      for (const element of elementsOf(event.args[0]) ?? []) {
        for (const { role, content } of messageOf(element)) {
          if (systemRoles.has(role) && flowLevel(content, 'all') === 2) reportRule(event, systemPrompt, { value: content, sink });
        }
      }
    } else if (messageClasses.has(name)) {
      const text = event.keywords.get('system_instruction') ?? (name.startsWith('google') ? undefined : event.keywords.get('content')
        ?? event.args[0]);
      const chat = name.endsWith('ChatMessage')
        && !/system/i.test(stringOf(event.keywords.get('role')) ?? nameText(event.keywords.get('role')));
      if (text !== undefined && !chat && flowLevel(text, 'all') === 2 && !hasFlag(text, 'low'))
        reportRule(event, systemPrompt, { value: text, sink });
    }
  },
};

/** AI-601, AI-602, AI-607, AI-608. */
export const promptRules: RuleSet = { rules: [systemPrompt, fetchedText, noLimit, promptSecret], matchers: [completionMatcher, messageMatcher] };
