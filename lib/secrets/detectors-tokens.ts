import type { PatternDetector, Verdict } from './detectors.types.ts';
import { isPlaceholderToken } from './placeholders.ts';
import type { SecretConfidence, SecretSeverity } from './secrets.types.ts';
import { hasTokenChecksum, isJwtHeader } from './token-checks.ts';

type Extra = {
  provider?: string;
  severity?: SecretSeverity;
  confidence?: SecretConfidence;
  leads?: readonly number[];
  wholeText?: true;
  notAfter?: string;
  verify?: (secret: string) => Verdict;
};

const TOKEN_RANK = 3;

/** One row: number, name, title, keywords, pattern, least entropy, and what differs from the usual high and high. */
function token(
  number: string, name: string, title: string, keywords: readonly string[], pattern: RegExp, minEntropy: number, extra: Extra = {},
): PatternDetector {
  const { provider = name.split('-')[0]!, severity = 'high', confidence = 'high', verify, ...rest } = extra;
  return {
    id: `CODE-W1-SECRET-${number}`,
    name, title, provider, keywords, pattern, minEntropy, severity, confidence,
    rank: TOKEN_RANK,
    verify: (secret) => (isPlaceholderToken(secret) ? false : verify?.(secret)),
    ...rest,
  };
}

/** A wrong checksum only lowers the confidence: scanners' own sample tokens fail it, and formats change. */
const checksum = (secret: string): Verdict => (hasTokenChecksum(secret) ? undefined : { confidence: 'medium' });
const liveIsCritical = (secret: string): Verdict => (secret.includes('_live_') || secret.includes('_prod_') ? { severity: 'critical' } : undefined);

/**
 * Detectors whose token has a shape of its own. Formats: the vendors' documentation as collected in the project's detector table;
 * those of replicate, groq, xai, langsmith, the telegram length and discord rest on one source.
 * Every pattern is sticky, starts at its keyword (or `leads` before it), has bounded repeats and refuses a longer word at its end.
 */
export const tokenDetectors: readonly PatternDetector[] = [
  token('001', 'aws-access-key', 'AWS access key id', ['a3t', 'akia', 'asia', 'abia', 'acca'],
    /(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?!\w)/y, 3),
  token('003', 'aws-bedrock', 'Amazon Bedrock API key', ['absk', 'bedrock-api-key-'],
    /(?:ABSK[A-Za-z0-9+/]{109,269}={0,2}(?![\w+/])|bedrock-api-key-[A-Za-z0-9+/]{20,2000}={0,2}(?![\w+/]))/y, 3, { provider: 'aws', notAfter: '+/' }),
  token('004', 'github', 'GitHub token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], /gh[pousr]_[A-Za-z0-9]{36}(?!\w)/y, 3, { verify: checksum }),
  token('005', 'github-fine', 'GitHub fine-grained token', ['github_pat_'], /github_pat_\w{82}(?!\w)/y, 3),
  token('006', 'gitlab', 'GitLab token',
    ['glpat-', 'gldt-', 'glft-', 'glsoat-', 'glrt-', 'glimt-', 'glagent-', 'gloas-', 'glffct-', 'glptt-', 'glcbt-'],
    /gl(?:pat|dt|ft|soat|rt|imt|agent|oas|ffct|ptt|cbt)-[\w-]{20,300}(?![\w-])/y, 3),
  token('007', 'slack-token', 'Slack bot, user or workspace token', ['xoxb-', 'xoxp-', 'xoxe-', 'xoxo-', 'xoxs-', 'xoxa-', 'xoxr-'],
    /(?:xox[bpe](?:-\d{10,13}){2,3}-[A-Za-z0-9-]{24,34}|xoxb-\d{8,14}-[A-Za-z0-9]{18,26}|xox[os](?:-\d{5,20}){3}-[A-Fa-f\d]{6,64}|xox[ar]-(?:\d-)?(?:\d{5,14}-){0,3}[A-Za-z0-9]{8,48})(?![\w-])/y, 3),
  token('008', 'slack-app', 'Slack app token', ['xapp-'], /xapp-\d-[A-Z0-9]{1,30}-\d{1,30}-[a-z0-9]{1,100}(?![\w-])/y, 2),
  token('009', 'slack-config', 'Slack configuration token', ['xoxe.xox', 'xoxe-'], /xoxe(?:\.xox[bp])?-\d-[A-Z0-9]{146,166}(?!\w)/iy, 2),
  token('010', 'slack-hook', 'Slack webhook address', ['hooks.slack.com/'],
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{43,56}(?![\w+/])/y, 3),
  token('011', 'stripe', 'Stripe secret or restricted key', ['sk_test_', 'sk_live_', 'sk_prod_', 'rk_test_', 'rk_live_', 'rk_prod_'],
    /[sr]k_(?:test|live|prod)_[A-Za-z0-9]{10,99}(?!\w)/y, 2, { verify: liveIsCritical }),
  token('012', 'openai', 'OpenAI API key', ['sk-'],
    /sk-(?:(?:proj|svcacct|admin)-[\w-]{20,200}T3BlbkFJ[\w-]{20,200}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})(?![\w-])/y, 3),
  token('013', 'anthropic', 'Anthropic API key', ['sk-ant-'],
    /sk-ant-(?:(?:api03|admin01)-[\w-]{93}AA|o[ar]t01-[\w-]{80,100})(?![\w-])/y, 3),
  token('014', 'huggingface', 'Hugging Face token', ['hf_', 'api_org_'], /(?:hf|api_org)_[A-Za-z0-9]{34}(?!\w)/y, 2),
  token('015', 'google-api', 'Google API key', ['aiza'], /AIza[\w-]{35}(?![\w-])/y, 4),
  token('017', 'azure-ad', 'Azure AD client secret', ['q~'], /[A-Za-z0-9_~.]{3}\dQ~[\w~.-]{31,34}(?![\w~-])/y, 3, { leads: [4], notAfter: '~.-' }),
  token('018', 'azure-storage', 'Azure storage account key', ['accountkey='], /AccountKey=([A-Za-z0-9+/]{86}==)/iy, 4, { severity: 'critical' }),
  token('019', 'replicate', 'Replicate API token', ['r8_'], /r8_[A-Za-z0-9]{37,40}(?!\w)/y, 3),
  token('020', 'groq', 'Groq API key', ['gsk_'], /gsk_[A-Za-z0-9]{52}(?!\w)/y, 3),
  token('021', 'perplexity', 'Perplexity API key', ['pplx-'], /pplx-[A-Za-z0-9]{48}(?!\w)/y, 4),
  token('022', 'langsmith', 'LangSmith API key', ['lsv2_'], /lsv2_(?:pt|sk)_[A-Za-z0-9]{32}_[A-Za-z0-9]{10}(?!\w)/y, 3),
  token('025', 'xai', 'xAI API key', ['xai-'], /xai-[A-Za-z0-9]{80}(?!\w)/y, 3),
  token('026', 'twilio', 'Twilio API key', ['sk'], /SK[0-9a-f]{32}(?!\w)/y, 3),
  token('027', 'sendgrid', 'SendGrid API key', ['sg.'], /SG\.[\w=.-]{66}(?![\w=-])/y, 2),
  token('028', 'mailgun', 'Mailgun private key', ['key-'], /key-[a-f0-9]{32}(?!\w)/y, 3, { notAfter: '-.' }),
  token('030', 'sendinblue', 'Sendinblue API key', ['xkeysib-'], /xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}(?!\w)/iy, 2),
  token('031', 'npm', 'npm access token', ['npm_'], /npm_[A-Za-z0-9]{36}(?!\w)/y, 2, { verify: checksum }),
  token('033', 'pypi', 'PyPI upload token', ['pypi-ageichlwas5vcmc'], /pypi-AgEIcHlwaS5vcmc[\w-]{50,1000}(?![\w-])/y, 3),
  token('034', 'rubygems', 'RubyGems API key', ['rubygems_'], /rubygems_[a-f0-9]{48}(?!\w)/y, 2),
  token('036', 'clojars', 'Clojars deploy token', ['clojars_'], /CLOJARS_[a-z0-9]{60}(?!\w)/iy, 2),
  token('037', 'digitalocean', 'DigitalOcean token', ['doo_v1_', 'dop_v1_', 'dor_v1_'], /do[opr]_v1_[a-f0-9]{64}(?!\w)/iy, 3),
  token('038', 'heroku', 'Heroku API key', ['hrku-aa'], /HRKU-AA[\w-]{58}(?![\w-])/y, 4),
  token('039', 'fly', 'Fly.io access token', ['fo1_', 'fm1a_', 'fm1r_', 'fm2_'],
    /(?:fo1_[\w-]{43}(?![\w-])|fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,2000}={0,3}(?![\w+/]))/y, 4),
  token('040', 'planetscale', 'PlanetScale token or password', ['pscale_tkn_', 'pscale_oauth_', 'pscale_pw_'],
    /pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}(?![\w=-])/iy, 3),
  token('041', 'databricks', 'Databricks token', ['dapi'], /dapi[a-f0-9]{32}(?:-\d)?(?![\w-])/y, 3),
  token('042', 'doppler', 'Doppler token', ['dp.pt.'], /dp\.pt\.[A-Za-z0-9]{43}(?!\w)/iy, 2),
  token('043', 'dynatrace', 'Dynatrace token', ['dt0c01.'], /dt0c01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}(?!\w)/iy, 4),
  token('044', 'easypost', 'EasyPost API key', ['ezak', 'eztk'], /EZ[AT]K[A-Za-z0-9]{54}(?!\w)/iy, 2),
  token('045', 'grafana', 'Grafana token', ['glsa_', 'glc_', 'eyjrijoi'],
    /(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}(?!\w)|glc_[A-Za-z0-9+/]{32,400}={0,3}(?![\w+/])|eyJrIjoi[A-Za-z0-9]{70,400}={0,3}(?![\w.-]))/y, 3),
  token('046', 'vault', 'HashiCorp Vault token', ['hvs.', 'hvb.'], /hv(?:s\.[\w-]{90,120}|b\.[\w-]{138,300})(?![\w-])/y, 3.5),
  token('047', 'terraform', 'Terraform Cloud token', ['.atlasv1.'], /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}(?![\w=-])/iy, 3.5, { leads: [14] }),
  token('048', 'infracost', 'Infracost API key', ['ico-'], /ico-[A-Za-z0-9]{32}(?![\w.-])/y, 3, { notAfter: '-./' }),
  token('049', 'linear', 'Linear API key', ['lin_api_'], /lin_api_[A-Za-z0-9]{40}(?!\w)/iy, 2),
  token('050', 'notion', 'Notion integration token', ['ntn_'], /ntn_\d{11}[A-Za-z0-9]{35}(?!\w)/y, 4),
  token('051', 'new-relic', 'New Relic user key', ['nrak-'], /NRAK-[A-Z0-9]{27}(?!\w)/iy, 3, { provider: 'new-relic' }),
  token('052', 'octopus', 'Octopus Deploy API key', ['api-'], /API-[A-Z0-9]{26}(?!\w)/y, 3, { notAfter: '-' }),
  token('053', 'openshift', 'OpenShift user token', ['sha256~'], /sha256~[\w-]{43}(?![\w-])/y, 3.5),
  token('054', 'postman', 'Postman API key', ['pmak-'], /PMAK-[a-f0-9]{24}-[a-f0-9]{34}(?!\w)/iy, 3),
  token('055', 'pulumi', 'Pulumi access token', ['pul-'], /pul-[a-f0-9]{40}(?!\w)/y, 2),
  token('056', 'sentry', 'Sentry token', ['sntryu_', 'sntrys_'],
    /(?:sntryu_[a-f0-9]{64}(?!\w)|sntrys_eyJpYXQiO[A-Za-z0-9+/]{10,400}={0,2}_[A-Za-z0-9+/]{43}(?![\w+/]))/y, 3.5),
  token('057', 'shopify', 'Shopify token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}(?!\w)/y, 2),
  token('058', 'square', 'Square access token', ['eaaa', 'sq0atp-'], /(?:EAAA|sq0atp-)[\w-]{22,60}(?![\w-])/y, 2),
  token('059', 'telegram', 'Telegram bot token', [':aa'], /\d{8,10}:AA[\w-]{33}(?![\w-])/y, 3, { leads: [10, 9, 8] }),
  token('060', 'discord-bot', 'Discord bot token', ['discord', 'bot', 'token'],
    /[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w.-])/g, 3.5, { wholeText: true, notAfter: '.-/+', confidence: 'medium', verify: hasMixedParts }),
  token('061', 'artifactory', 'Artifactory token', ['akcp', 'cmvmd'], /(?:AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})(?!\w)/y, 4.5),
  token('062', 'atlassian', 'Atlassian API token', ['atatt3'], /ATATT3[\w=-]{180,200}(?![\w=-])/y, 3.5),
  token('063', '1password', '1Password secret key or service account token', ['a3-', 'ops_eyj'],
    /(?:A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}(?![\w-])|ops_eyJ[A-Za-z0-9+/]{250,4000}={0,3})/y, 3.8),
  token('064', 'age', 'age identity', ['age-secret-key-1'], /AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}(?!\w)/y, 0, { severity: 'critical' }),
  token('066', 'jwt', 'JSON Web Token', ['eyj'], /eyJ[\w-]{8,2000}={0,2}\.[\w-]{8,8000}={0,2}\.[\w-]{10,1500}={0,2}(?![\w-])/y, 3,
    { notAfter: '-', verify: (secret) => (isJwtHeader(secret.slice(0, secret.indexOf('.'))) ? undefined : false) }),
  token('067', 'teams-hook', 'Microsoft Teams webhook address', ['webhook.office.com/webhookb2/'],
    /webhook\.office\.com\/webhookb2\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}@[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\/IncomingWebhook\/[\da-z]{32}\/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/iy, 3,
    { provider: 'microsoft' }),
  token('068', 'cloudflare-ca', 'Cloudflare origin CA key', ['v1.0-'], /v1\.0-[a-f0-9]{24}-[a-f0-9]{146}(?!\w)/y, 2),
];

/** Each part of a Discord token is base64url: dotted identifiers of a program have long single-case words instead. */
function hasMixedParts(secret: string): Verdict {
  const [id = '', , mac = ''] = secret.split('.');
  return /\d/.test(id + mac) && /[a-z]/.test(mac) && /[A-Z]/.test(mac) ? undefined : false;
}
