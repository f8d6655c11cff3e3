import { hasUnsafe, isMarksAlone } from '../../../../text/unsafe.ts';
import { limits } from './limits.ts';

/**
 * What is wrong with the name of an item, said so that it follows the name: it must be a relative path with `/`, 1 to 255 bytes in form
 * NFC, that shows as it is and leads nowhere else on any system.
 */
export function checkItemName(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (/[\\:]/.test(name)) return 'holds a backslash or a colon';
  if (name.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) return 'is not a plain path below a folder';
  return checkSize(name, limits.nameBytes) ?? checkVisible(name) ?? checkForm(name);
}

/** What is wrong with a subject that is to be sent: at most 200 bytes in form NFC, nothing invisible in it. Empty is fine. */
export function checkSubject(subject: string): string | undefined {
  return checkReadSubject(subject) ?? checkVisible(subject);
}

/**
 * What is wrong with a subject that somebody sent. Characters that are unsafe to show are let in and shown as escapes, so that the
 * reader learns of them.
 */
export function checkReadSubject(subject: string): string | undefined {
  return checkSize(subject, limits.subjectBytes) ?? checkForm(subject);
}

/** What is wrong with the type of a bundle. */
export function checkType(type: string): string | undefined {
  return /^[a-z][a-z0-9-]{0,31}$/.test(type) ? undefined : 'must be 1 to 32 of a-z, 0-9 and "-", with a letter in front';
}

function checkSize(text: string, max: number): string | undefined {
  return Buffer.byteLength(text) > max ? `is longer than ${max} bytes` : undefined;
}

function checkVisible(text: string): string | undefined {
  return hasUnsafe(text) || /[\ufe0e\ufe0f]/.test(text) ? 'holds control or invisible characters' : undefined;
}

function checkForm(text: string): string | undefined {
  if (text.normalize('NFC') !== text) return 'is not in Unicode form NFC';
  return isMarksAlone(text) ? 'holds nothing but marks' : undefined;
}
