const LOCK_FILE =
  /(?:^|[\\/])(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.ya?ml|bun\.lockb?|deno\.lock|poetry\.lock|pdm\.lock|uv\.lock|pipfile\.lock|cargo\.lock|gemfile\.lock|composer\.lock|podfile\.lock|pubspec\.lock|mix\.lock|flake\.lock|packages\.lock\.json|gradle\.lockfile|go\.sum|\.terraform\.lock\.hcl|\.package-lock\.json)$/i;
const MEDIA =
  /\.(?:png|jpe?g|gif|bmp|ico|webp|avif|tiff?|psd|mp[34]|m4a|wav|ogg|flac|avi|mov|mkv|webm|woff2?|ttf|otf|eot|pdf|docx?|xlsx?|pptx?|zip|gz|tgz|bz2|xz|7z|rar|jar|war|class|pyc|so|dll|exe|o|a|bin|wasm|sqlite3?|db|gltf)$/i;
const TEST_PATH =
  /(?:^|[\\/])(?:tests?|specs?|__tests__|__mocks__|mocks?|fixtures?|examples?|samples?|testdata|test-data|demos?|e2e)[\\/]|(?:^|[\\/])test_[^\\/]*$|[._-](?:test|spec|example|sample|template|dist)s?(?:\.[a-z0-9]{1,8})?$|(?:^|[\\/])conftest\.py$/i;
const LARGEST = 5 * 1024 * 1024;

/** Why a text is not scanned for secrets: `lock` (digests only), `binary`, or `large` (over 5 MiB characters); undefined = it is scanned. */
export function skipReason(path: string, text: string): 'lock' | 'binary' | 'large' | undefined {
  if (text.length > LARGEST) return 'large';
  if (LOCK_FILE.test(path) || /^\s{0,20}[{]?\s{0,20}(?:"name"[^\n]{0,200}\n?\s{0,20})?(?:"version"[^\n]{0,80}\n?\s{0,20})?["']?lockfileVersion["']?\s{0,4}:/.test(text.slice(0, 500))) return 'lock';
  return MEDIA.test(path) || text.slice(0, 8192).includes('\0') ? 'binary' : undefined;
}

/** Whether a path belongs to tests or examples, where a find is less likely to be a live secret. */
export function isTestPath(path: string): boolean {
  return TEST_PATH.test(path);
}
