import { scanSecrets } from './scan.ts';

/** A text that people, models or code wrote, with each secret that the detectors see in it replaced by `***`. */
export function maskSecrets(text: string): string {
  let masked = '';
  let at = 0;
  for (const { start, end } of scanSecrets(text, { path: 'note.txt', language: 'text' })) {
    masked += `${text.slice(at, start)}***`;
    at = end;
  }
  return masked + text.slice(at);
}
