import { contentCodings } from './content-codings.js';
import { listMembers } from './field-syntax.js';
import { allHeaders, type HeaderList, withHeader } from './header-list.js';

const field = 'accept-encoding';

/** What a response may come in where its body is to be read. */
const readable: readonly string[] = [...contentCodings, 'identity'];

/** Another name of gzip (RFC 9110, section 8.4.1.3). */
const isReadable = (coding: string): boolean => readable.includes(coding) || coding === 'x-gzip';

/**
 * The head of a request with an Accept-Encoding (RFC 9110, section 12.5.3) that names, of what its client accepts, the
 * codings alone that can be taken off; `identity` where nothing is left, and where the client says nothing. Gives the same
 * list back where nothing had to go.
 */
export const withReadableCodings = (headers: HeaderList): HeaderList => {
  const members = allHeaders(headers, field).flatMap(listMembers);
  const codings = members.map((member) => (member.split(';', 1)[0] as string).trim().toLowerCase());
  if (codings.length > 0 && codings.every(isReadable)) return headers;
  const named = new Set(codings);
  const offered = members.flatMap((member, index) => {
    const coding = codings[index] as string;
    if (isReadable(coding)) return [member];
    // Any coding that is not named besides, with this weight.
    if (coding === '*') return readable.filter((any) => !named.has(any)).map((any) => any + member.slice(1));
    return [];
  });
  return withHeader(headers, 'Accept-Encoding', offered.length === 0 ? 'identity' : offered.join(', '));
};
