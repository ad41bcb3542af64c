import { builtCodec } from '../codec/codec.js';
import { MessageStream, type ReadMessage, requestHeads } from '../codec/read-message.js';
import { type FuzzPart, Tally } from '../fuzz-part.js';
import { requestStream } from '../inputs/request-stream.js';
import { chanceOf } from '../inputs/seeded-random.js';
import { comparedNames, installedNginx, NginxEcho, type NginxMessage } from './nginx-echo.js';

const roomForHeads = 65_536;
const program = installedNginx();

/** Statuses of nginx's own that say: this is no request that I understand. */
const isRefusal = ({ status }: NginxMessage): boolean => status >= 400 || status === 0;

/** Faults are written in one word. */
const isFault = (ending: string): boolean => ending.includes('_');

/**
 * The values of each name, as nginx knows names; tabs around them are none of it (RFC 9112, section 5), but to nginx.
 */
const valuesByName = ({ fields }: ReadMessage): ReadonlyMap<string, readonly string[]> => {
  const values = new Map<string, string[]>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const name = (fields[at] as string).toLowerCase().replaceAll('-', '_');
    const value = fields[at + 1] as string;
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
};

const withoutTabs = (value: string): string => value.replace(/^[\t ]+|[\t ]+$/g, '');

/** nginx shows the first value of most names, and all of some: which these are differs from version to version. */
const isValueOf = (values: readonly string[], theirs: string): boolean => {
  if (withoutTabs(theirs) === (values[0] ?? '')) return true;
  return [', ', '; '].some((separator) => {
    const parts = values.flatMap((value) => value.split(separator));
    const theirParts = theirs.split(separator).map(withoutTabs);
    return parts.length === theirParts.length && parts.every((part, at) => withoutTabs(part) === theirParts[at]);
  });
};

const haveSameFields = (ours: ReadMessage, theirs: NginxMessage): boolean => {
  const values = valuesByName(ours);
  return comparedNames.every((name) => isValueOf(values.get(name) ?? [], theirs.fields[name] ?? ''));
};

const isSame = (ours: ReadMessage, theirs: NginxMessage, octets: number): boolean =>
  theirs.line === `${ours.line} HTTP/1.${ours.minorVersion}` &&
  ours.body === theirs.body &&
  octets === theirs.octets &&
  haveSameFields(ours, theirs);

const methodOf = ({ line }: ReadMessage): string => line.slice(0, line.indexOf(' '));
const targetOf = ({ line }: ReadMessage): string => line.slice(line.indexOf(' ') + 1);
const hosts = ({ fields }: ReadMessage): readonly string[] =>
  fields.filter((_, index) => index % 2 === 1 && fields[index - 1]?.toLowerCase() === 'host');

const once: ReadonlySet<string> = new Set(['expect', 'upgrade', 'content-type', 'keep-alive', 'te']);
const isRepeated = ({ fields }: ReadMessage): boolean => {
  const names = fields.flatMap((text, index) =>
    index % 2 === 0 && once.has(text.toLowerCase()) ? text.toLowerCase() : [],
  );
  return new Set(names).size < names.length;
};

/** What nginx refuses and the codec may take: the gateway judges it, when its octets are known to be sound. */
const explained: readonly { readonly reason: string; holds(message: ReadMessage, text: string): boolean }[] = [
  {
    reason: 'no Host, or a bad one',
    holds: (message) => !/^[a-z0-9][a-z0-9.-]*(?::\d*)?$/i.test(hosts(message)[0] ?? ''),
  },
  { reason: 'methods of other letters than A to Z', holds: (message) => !/^[A-Z_-]+$/.test(methodOf(message)) },
  // They are no part of them (RFC 9112, section 5); to nginx they are.
  { reason: 'tabs around values', holds: (_, text) => /: *\t|\t *\r\n/.test(text) },
  { reason: 'a field twice that nginx takes once', holds: isRepeated },
  { reason: 'CONNECT and TRACE', holds: (message) => /^(?:CONNECT|TRACE)$/.test(methodOf(message)) },
  {
    reason: 'forms of targets',
    holds: (message) => !/^(?:\/|https?:\/\/[a-z0-9.-]+(?::\d+)?(?:[/?]|$))/i.test(targetOf(message)),
  },
  {
    reason: 'percent-encodings and paths',
    holds: (message) => /%(?![0-9a-f]{2})|%00|\/\.\.|#/i.test(targetOf(message)),
  },
];

/** Where the head of a message begins: nginx counts no empty lines before it. */
const headStart = (input: string, start: number): number => {
  let at = start;
  while (input.startsWith('\r\n', at)) at += 2;
  return at;
};

/** The codec beside a real nginx: what ours takes has to mean the same to both, and to end at the same octet. */
export const nginxPart: FuzzPart = {
  name: 'nginx',
  missing: program === null ? 'nginx is not installed' : null,
  settledCases: 10_000,
  start: async () => {
    const codec = await builtCodec();
    const nginx = await NginxEcho.start(program ?? 'nginx');
    const counts = new Tally();
    return {
      width: 24,
      counts,
      tryCase: async (seed, index) => {
        const input = requestStream(chanceOf(seed, index));
        const octets = Buffer.from(input, 'latin1');
        const stream = new MessageStream(codec, requestHeads(codec, roomForHeads), roomForHeads);
        stream.push(octets);
        const ours = stream.finish();
        const theirs = await nginx.read(octets);
        let start = 0;
        for (const [turn, message] of ours.messages.entries()) {
          const their = theirs[turn];
          if (their === undefined || isRefusal(their)) {
            const text = input.slice(start, message.end);
            const reason = explained.find(({ holds }) => holds(message, text))?.reason;
            const isOpen = reason === undefined && !message.isComplete;
            if (isOpen) counts.count('bodies that do not end');
            else counts.count(`only the codec takes it: ${reason ?? `nginx says ${their?.status ?? 'nothing'}`}`);
            if (reason !== undefined || !message.isComplete) return null;
            const what = 'the codec takes what nginx refuses';
            return { what, input, ours: JSON.stringify(ours), theirs: JSON.stringify(theirs) };
          }
          if (!message.isComplete) {
            if (isFault(ours.ending)) {
              counts.count(`only nginx takes it: ${ours.ending}`);
              return null;
            }
            const what = 'nginx sees the end of a body that the codec does not see';
            return { what, input, ours: JSON.stringify(ours), theirs: JSON.stringify(theirs) };
          }
          if (!isSame(message, their, message.end - headStart(input, start))) {
            const what = 'the codec reads otherwise than nginx';
            return { what, input, ours: JSON.stringify(ours), theirs: JSON.stringify(theirs) };
          }
          start = message.end;
          counts.count('requests read alike');
          if (!message.isPersistent) return null;
        }
        const more = theirs[ours.messages.length];
        if (more !== undefined && !isRefusal(more)) {
          if (!isFault(ours.ending)) {
            return { what: 'nginx reads on', input, ours: JSON.stringify(ours), theirs: JSON.stringify(theirs) };
          }
          counts.count(`only nginx takes it: ${ours.ending}`);
        }
        return null;
      },
      stop: () => nginx.stop(),
    };
  },
};
