/** Random-looking values from a seeded generator, so that no secret-shaped literal stands in the specs. */
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALPHABETS = {
  word: LOWER + LOWER.toUpperCase() + DIGITS,
  dash: `${LOWER}${LOWER.toUpperCase()}${DIGITS}_-`,
  base64: `${LOWER}${LOWER.toUpperCase()}${DIGITS}+/`,
  hex: `${DIGITS}abcdef`,
  digit: DIGITS,
  upper: LOWER.toUpperCase() + DIGITS,
  base32: `${LOWER.toUpperCase()}234567`,
  lower: LOWER + DIGITS,
  letter: LOWER + LOWER.toUpperCase(),
  bech32: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
} as const;

/** A source of random strings; equal seeds give equal strings. */
export function randomStrings(seed: number): (alphabet: keyof typeof ALPHABETS, length: number) => string {
  let state = seed;
  return (alphabet, length) => {
    const characters = ALPHABETS[alphabet];
    let out = '';
    for (let i = 0; i < length; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      out += characters[Math.floor((state / 2 ** 32) * characters.length)]!;
    }
    return out;
  };
}

const random = randomStrings(20);

/** A fresh uuid-shaped value. */
export function randomUuid(): string {
  return [8, 4, 4, 4, 12].map((length) => random('hex', length)).join('-');
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');

/** A value with the shape of a JSON Web Token whose header is `header`. */
export function jwtLike(header: string): string {
  return [base64url(header), base64url(JSON.stringify({ sub: random('digit', 12), role: random('word', 20) })), random('dash', 43)].join('.');
}

/** A PEM block of that label with `lines` lines of body. */
export function pemLike(label: string, lines: number, newline = '\n'): string {
  const body = Array.from({ length: lines }, () => random('base64', 64));
  return [`-----BEGIN ${label}-----`, ...body, `-----END ${label}-----`].join(newline);
}

/**
 * One row a token detector: its number, a sample, and a value that is almost one (too short, too long, or of a wrong alphabet).
 */
export function tokenSamples(): [number: string, sample: string, nearMiss: string][] {
  const r = random;
  const teams = `outlook.webhook.office.com/webhookb2/${randomUuid()}@${randomUuid()}/IncomingWebhook/${r('hex', 32)}/`;
  return [
    ['001', `AKIA${r('base32', 16)}`, `AKIA${r('base32', 15)}`],
    ['001', `ASIA${r('base32', 16)}`, 'AKIA' + 'IOSFODNN7' + 'EXAMPLE'],
    ['003', `ABSK${r('base64', 120)}==`, `ABSK${r('base64', 60)}`],
    ['003', `bedrock-api-key-${r('base64', 60)}`, `bedrock-api-key-${r('base64', 8)}`],
    ...['p', 'o', 'u', 's', 'r'].map((kind): [string, string, string] => ['004', `gh${kind}_${r('word', 36)}`, `gh${kind}_${r('word', 35)}`]),
    ['005', `github_pat_${r('word', 82)}`, `github_pat_${r('word', 81)}`],
    ...['pat', 'dt', 'ft', 'soat', 'rt', 'imt', 'agent', 'oas', 'ffct', 'ptt', 'cbt'].map((kind): [string, string, string] => ['006', `gl${kind}-${r('dash', 20)}`, `gl${kind}-${r('word', 19)}`]),
    ['007', `xoxb-${r('digit', 12)}-${r('digit', 12)}-${r('word', 24)}`, 'xoxp-' + 'yourtokenhere'],
    ['007', `xoxp-${r('digit', 12)}-${r('digit', 12)}-${r('digit', 12)}-${r('hex', 32)}`, `xoxp-${r('digit', 12)}-${r('hex', 12)}`],
    ['007', `xoxs-${r('digit', 12)}-${r('digit', 9)}-${r('digit', 10)}-${r('hex', 10)}`, `xoxs-${r('hex', 10)}`],
    ['007', `xoxa-2-${r('digit', 9)}-${r('digit', 11)}-${r('digit', 13)}-${r('hex', 18)}`, 'xoxa-' + 'access-token-string'],
    ['008', `xapp-1-${r('upper', 11)}-${r('digit', 13)}-${r('hex', 64)}`, `xapp-${r('upper', 11)}-${r('hex', 64)}`],
    ['009', `xoxe.xoxp-1-${r('upper', 160)}`, `xoxe.xoxp-1-${r('upper', 100)}`],
    ['010', `hooks.slack.com/services/${r('upper', 11)}/${r('upper', 11)}/${r('word', 24)}`, `hooks.slack.com/services/${r('upper', 9)}`],
    ['011', `sk_test_${r('word', 24)}`, `sk_test_${r('word', 9)}`],
    ['011', `rk_live_${r('word', 24)}`, `pk_live_${r('word', 24)}`],
    ['012', `sk-proj-${r('dash', 74)}T3BlbkFJ${r('word', 74)}`, `sk-proj-${r('dash', 74)}T3BlbkFK${r('word', 74)}`],
    ['012', `sk-${r('word', 20)}T3BlbkFJ${r('word', 20)}`, `sk-${r('word', 19)}T3BlbkFJ${r('word', 20)}`],
    ['013', `sk-ant-api03-${r('dash', 93)}AA`, `sk-ant-api03-${r('dash', 92)}AB`],
    ['013', `sk-ant-oat01-${r('word', 90)}`, `sk-ant-oat01-${r('word', 40)}`],
    ['014', `hf_${r('letter', 34)}`, `hf_${r('letter', 33)}`],
    ['014', `hf_${r('word', 34)}`, `hf_${r('word', 12)}_${r('word', 21)}`],
    ['015', `AIza${r('word', 35)}`, `AIza${r('word', 34)}`],
    ['017', `${r('word', 3)}8Q~${r('word', 34)}`, `${r('word', 3)}xQ~${r('word', 34)}`],
    ['018', `AccountKey=${r('base64', 86)}==`, `AccountKey=${r('base64', 80)}==`],
    ['019', `r8_${r('word', 37)}`, `r8_${r('word', 30)}`],
    ['020', `gsk_${r('word', 52)}`, `gsk_${r('word', 51)}`],
    ['021', `pplx-${r('word', 48)}`, `pplx-${r('word', 47)}`],
    ['022', `lsv2_pt_${r('hex', 32)}_${r('hex', 10)}`, `lsv2_xx_${r('hex', 32)}_${r('hex', 10)}`],
    ['025', `xai-${r('word', 80)}`, `xai-${r('word', 79)}`],
    ['026', `SK${r('hex', 32)}`, `SK${r('hex', 31)}g`],
    ['027', `SG.${r('word', 22)}.${r('word', 43)}`, `SG.${r('word', 22)}.${r('word', 40)}`],
    ['028', `key-${r('hex', 32)}`, `public-key-${r('hex', 32)}`],
    ['030', `xkeysib-${r('hex', 64)}-${r('word', 16)}`, `xkeysib-${r('hex', 63)}-${r('word', 16)}`],
    ['031', `npm_${r('word', 36)}`, `npm_${r('word', 35)}`],
    ['033', `pypi-AgEIcHlwaS5vcmc${r('dash', 60)}`, `pypi-AgEIcHlwaS5vcmc${r('word', 40)}`],
    ['034', `rubygems_${r('hex', 48)}`, `rubygems_${r('hex', 47)}`],
    ['036', `CLOJARS_${r('lower', 60)}`, `CLOJARS_${r('lower', 59)}`],
    ['037', `dop_v1_${r('hex', 64)}`, `dop_v1_${r('hex', 63)}`],
    ['038', `HRKU-AA${r('dash', 58)}`, `HRKU-AB${r('word', 58)}`],
    ['039', `fo1_${r('word', 43)}`, `fo1_${r('word', 42)}`],
    ['039', `fm2_${r('base64', 120)}`, `fm2_${r('base64', 60)}`],
    ['040', `pscale_tkn_${r('word', 43)}`, `pscale_tkn_${r('word', 20)}`],
    ['041', `dapi${r('hex', 32)}`, `dapi${r('hex', 31)}`],
    ['042', `dp.pt.${r('word', 43)}`, `dp.pt.${r('word', 42)}`],
    ['043', `dt0c01.${r('upper', 24)}.${r('upper', 64)}`, `dt0c01.${r('upper', 24)}.${r('upper', 60)}`],
    ['044', `EZAK${r('word', 54)}`, `EZAK${r('word', 53)}`],
    ['045', `glsa_${r('word', 32)}_${r('hex', 8)}`, `glsa_${r('word', 32)}-${r('hex', 8)}`],
    ['045', `glc_${r('base64', 60)}`, `glc_${r('base64', 20)}`],
    ['046', `hvs.${r('word', 95)}`, `hvs.${r('word', 60)}`],
    ['047', `${r('word', 14)}.atlasv1.${r('word', 65)}`, `${r('word', 13)}.atlasv1.${r('word', 65)}`],
    ['048', `ico-${r('word', 32)}`, `icons/ico-${r('word', 32)}.svg`],
    ['049', `lin_api_${r('word', 40)}`, `lin_api_${r('word', 39)}`],
    ['050', `ntn_${r('digit', 11)}${r('word', 35)}`, `ntn_${r('letter', 11)}${r('word', 35)}`],
    ['051', `NRAK-${r('upper', 27)}`, `NRAK-${r('upper', 26)}`],
    ['052', `API-${r('upper', 26)}`, `REST-API-${r('upper', 26)}`],
    ['053', `sha256~${r('dash', 43)}`, `sha256~${r('word', 42)}`],
    ['054', `PMAK-${r('hex', 24)}-${r('hex', 34)}`, `PMAK-${r('hex', 24)}-${r('hex', 33)}`],
    ['055', `pul-${r('hex', 40)}`, `pul-${r('hex', 39)}`],
    ['056', `sntryu_${r('hex', 64)}`, `sntryu_${r('hex', 63)}`],
    ['057', `shpat_${r('hex', 32)}`, `shpat_${r('hex', 31)}`],
    ['058', `sq0atp-${r('dash', 22)}`, `sq0atp-${r('word', 21)}`],
    ['059', `${r('digit', 10)}:AA${r('word', 33)}`, `${r('digit', 10)}:AA${r('word', 30)}`],
    ['061', `AKCp${r('word', 69)}`, `AKCp${r('word', 60)}`],
    ['062', `ATATT3${r('word', 186)}`, `ATATT3${r('word', 150)}`],
    ['063', `A3-${r('upper', 6)}-${r('upper', 11)}-${r('upper', 5)}-${r('upper', 5)}-${r('upper', 5)}`, `A3-${r('upper', 6)}-${r('upper', 11)}-${r('upper', 5)}`],
    ['063', `ops_eyJ${r('word', 260)}`, `ops_eyJ${r('word', 200)}`],
    ['064', `AGE-SECRET-KEY-1${r('bech32', 58)}`, `AGE-SECRET-KEY-1${r('bech32', 57)}`],
    ['066', jwtLike('{"alg":"HS256","typ":"JWT"}'), jwtLike('{"kid":"HS256","typ":"JWT"}')],
    ['066', jwtLike('{"kid":"1","alg":"RS256"}'), ['eyJ' + r('word', 20), r('word', 30), r('word', 43)].join('.')],
    ['067', teams + randomUuid(), teams + r('hex', 8)],
    ['068', `v1.0-${r('hex', 24)}-${r('hex', 146)}`, `v1.0-${r('hex', 24)}-${r('hex', 140)}`],
  ];
}
