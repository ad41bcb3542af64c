import { canonicalName } from './canonical-name.js';
import { listMembers } from './field-syntax.js';
import type { HeaderList } from './header-list.js';

/** Content codings that the gateway can decode (RFC 9110, section 8.4.1; RFC 7932 for `br`). */
export const contentCodings = ['gzip', 'deflate', 'br'] as const;
export type ContentCoding = (typeof contentCodings)[number];

/** Maximum number of codings of one body: each needs its own buffers. */
const maxCodings = 4;

const codingOf: Readonly<Record<string, ContentCoding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
};

const field = 'content-encoding';

/** Also matches spellings that a lenient upstream reads as Content-Encoding. */
const isContentEncoding = (name: string): boolean => name.length === field.length && canonicalName(name) === field;

/**
 * The codings of a body in the order of application, without `identity`. Null if one is unknown or there are
 * more than `maxCodings`.
 */
export const contentCodingsOf = (headers: HeaderList): readonly ContentCoding[] | null => {
  const codings: ContentCoding[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    if (!isContentEncoding(headers[index] as string)) continue;
    for (const member of listMembers(headers[index + 1] as string)) {
      const name = member.toLowerCase();
      if (name === 'identity') continue;
      const coding = Object.hasOwn(codingOf, name) ? codingOf[name] : undefined;
      if (coding === undefined || codings.length === maxCodings) return null;
      codings.push(coding);
    }
  }
  return codings;
};

/** The fields of a message after its body was decoded. */
export const withoutContentEncoding = (headers: HeaderList): HeaderList =>
  headers.filter((_, index) => !isContentEncoding(headers[index - (index % 2)] as string));
