import { canonicalName } from './canonical-name.js';
import { listMembers } from './field-syntax.js';
import type { HeaderList } from './header-list.js';

/** The content codings that can be taken off a body (RFC 9110, section 8.4.1; RFC 7932 for `br`). */
export const contentCodings = ['gzip', 'deflate', 'br'] as const;
export type ContentCoding = (typeof contentCodings)[number];

/** Codings of one body at the most: each has buffers of its own. */
const maxCodings = 4;

const codingOf: Readonly<Record<string, ContentCoding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
};

const field = 'content-encoding';

/** A spelling that only a careless reader takes for Content-Encoding counts too: the upstream may be one. */
const isContentEncoding = (name: string): boolean => name.length === field.length && canonicalName(name) === field;

/**
 * The codings of a body in the order in which they were applied, `identity` left out; null where one of them is unknown,
 * or there are more than can be taken off.
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

/** The fields of a message whose body has been inflated. */
export const withoutContentEncoding = (headers: HeaderList): HeaderList =>
  headers.filter((_, index) => !isContentEncoding(headers[index - (index % 2)] as string));
