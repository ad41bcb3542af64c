import type { AuditRecord, AuditValue } from './audit-record.js';
import { mergeObjects } from './merge-objects.js';

/** Largest length of a text in characters, and of a list. */
const longestText = 512;
const longestList = 20;

/** DEL, the C1 controls and two separators. JSON allows them, but some terminals and readers interpret them. */
const unprintable = /[\u007f-\u009f\u2028\u2029]/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A token in compact form (RFC 7515). It is here by mistake, and a reader of the log could use it. */
const isTokenLike = (text: string): boolean => text.includes('eyJ') && text.split('.', 3).length === 3;

const shownText = (text: string): string => {
  if (isTokenLike(text)) return '[secret]';
  return text.length > longestText ? `${text.slice(0, longestText)}...` : text;
};

const isList = (value: AuditValue): value is readonly string[] => typeof value === 'object' && value !== null;

const shown = (value: AuditValue): AuditValue => {
  if (isList(value)) return value.slice(0, longestList).map(shownText);
  return typeof value === 'string' ? shownText(value) : value;
};

/**
 * Formats a record as a JSON line with a line feed. Its first members are `time`, `stream`, `event` and `outcome`. The
 * length is bounded to some thousand characters.
 *
 * @param time ISO 8601
 * @param worker number of the worker; 0: none
 */
export const auditLine = (time: string, worker: number, { event, outcome, members }: AuditRecord): string => {
  const own = { time, stream: 'audit', event, outcome, ...(worker > 0 && { worker }) };
  const rest = Object.entries(members).flatMap(([name, value]) => (name in own ? [] : [[name, shown(value)] as const]));
  return `${JSON.stringify(mergeObjects(own, Object.fromEntries(rest))).replace(unprintable, escaped)}\n`;
};
