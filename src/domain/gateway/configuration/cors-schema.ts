import { foreign } from '../../configuration/schema/block-keys.js';
import { headerName, methodKind } from '../../configuration/schema/network-kinds.js';
import { documented, list, withDefault } from '../../configuration/schema/scalar-keys.js';
import { boolean, integer, type ScalarFault, type ScalarKind } from '../../configuration/schema/scalar-kind.js';
import type { Field, Fields, Key, ReadContext } from '../../configuration/schema/schema.js';
import { switchedBlock, withSwitch } from '../../configuration/schema/switched-block.js';
import { webOriginOrAny } from '../../configuration/schema/web-origin.js';
import { isToken } from '../../http/field-syntax.js';
import { err } from '../../shared/result.js';
import type { CorsPolicy } from '../route-transforms/cors-policy.js';

const simpleMethods: readonly string[] = ['GET', 'HEAD', 'POST'];
const simpleHeaders: readonly string[] = ['Accept', 'Accept-Language', 'Content-Language', 'Content-Type', 'Range'];
const ownHeaders: readonly string[] = ['X-Correlation-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'];
const standardMaxAgeSecs = 600;

const listFault = (value: string): ScalarFault | null => {
  const items = value.split(/[\s,|]+/).filter((item) => item !== '');
  if (items.length < 2 || !items.every(isToken)) return null;
  const each = items.slice(0, 10).map((item) => `"${item.slice(0, 40)}"`);
  return {
    message: `must be one name, not "${value.slice(0, 80)}"`,
    suggestion: `write each in quotes: ${each.join(' ')}`,
  };
};

/** A kind that first refuses other values with a better message. */
const refusing = (kind: ScalarKind<string>, fault: (value: string) => ScalarFault | null): ScalarKind<string> => ({
  ...kind,
  read: (scalar) => {
    const found = typeof scalar.value === 'string' && !scalar.hidden ? fault(scalar.value) : null;
    return found === null ? kind.read(scalar) : err(found);
  },
});

const everyMethod: ScalarFault = {
  message: 'must be a method, not "*"',
  suggestion: 'list the methods: "GET" "POST" "PUT"',
};
const everyHeader: ScalarFault = {
  message: 'must be a header name, not "*"',
  suggestion: 'list the headers: browsers never apply "*" to Authorization or to requests with credentials',
};

const corsMethod = refusing(methodKind, (value) => (value === '*' ? everyMethod : listFault(value)));
const corsHeader = refusing(headerName, (value) => (value === '*' ? everyHeader : listFault(value)));

/** Set-Cookie is a forbidden response-header name (Fetch Standard). */
const exposableHeader = refusing(corsHeader, (value) =>
  /^set-cookie2?$/i.test(value)
    ? { message: `cannot expose ${value}: browsers never show it to scripts`, suggestion: 'delete it' }
    : null,
);

const quotedList = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');

const shape = {
  enabled: withDefault(boolean, true, '`#true`', '`#false` turns CORS off.'),
  'allow-origins': documented(
    list(
      webOriginOrAny,
      'Origins whose pages may read responses, as browsers send them: scheme, host, and the port if it is not the default. `https://*.example.com` means every name below `example.com`, in one or more labels. `*` means every origin, and stands alone.',
    ),
    'required',
  ),
  'allow-methods': list(
    corsMethod,
    'Methods that a preflight may ask for.',
    [],
    `${quotedList(simpleMethods)} and the methods in \`matches\``,
  ),
  'allow-headers': list(
    corsHeader,
    'Request headers that a preflight may ask for, in any case.',
    simpleHeaders,
    quotedList(simpleHeaders),
  ),
  'expose-headers': list(
    exposableHeader,
    'Response headers that scripts may read, beside the ones that browsers always show.',
    ownHeaders,
    quotedList(ownHeaders),
  ),
  'allow-credentials': withDefault(
    boolean,
    false,
    '`#false`',
    'Whether pages may send cookies and client certificates, and read the responses. An error with `*`.',
  ),
  'max-age-secs': withDefault(
    { ...integer(0, 86_400), label: 'seconds, 0 to 86400' },
    standardMaxAgeSecs,
    String(standardMaxAgeSecs),
    'How long a browser may reuse the response to a preflight.',
  ),
  'max-age': foreign('the name is max-age-secs', 'write max-age-secs 600'),
  'allow-origin': foreign('the name is allow-origins', 'write allow-origins "https://app.example.com"'),
};

type CorsFields = Fields<typeof shape>;

const checkCors = (fields: CorsFields, block: Field<unknown>, context: ReadContext): void => {
  const { 'allow-origins': origins, 'allow-methods': methods, 'allow-credentials': credentials } = fields;
  const path = [...context.path, 'cors'];
  const isOpen = origins.value.some(({ value }) => value === '*');
  if (origins.sound && origins.value.length === 0) {
    const message = origins.given ? '"allow-origins" must list at least one origin' : '"allow-origins" is missing';
    const suggestion = 'write allow-origins "https://app.example.com", or cors #null for a route without CORS';
    context.report.add(message, { position: origins.position ?? block.position, path, suggestion });
  }
  if (isOpen && origins.value.length > 1) {
    const suggestion = 'delete "*", or the other origins';
    context.report.add('"allow-origins" lists "*" beside other origins', {
      position: origins.position,
      path,
      suggestion,
    });
  }
  if (isOpen && credentials.value) {
    context.report.add(
      '"allow-credentials" cannot be used with allow-origins "*": every page could read the data of its visitors',
      {
        position: credentials.position,
        path,
        suggestion: 'list the origins, or delete allow-credentials',
      },
    );
  }
  if (methods.given && methods.sound && methods.value.length === 0) {
    const suggestion = 'list the methods, or delete the line';
    context.report.add('"allow-methods" must list at least one method', {
      position: methods.position,
      path,
      suggestion,
    });
  }
};

const corsBlock = withSwitch(
  switchedBlock(shape, null, {
    standard: 'none',
    meaning:
      'Let pages of other origins read the responses of this route. The gateway answers preflights itself. `#null`: none, in spite of `defaults`.',
  }),
);

/** The block `cors` of a route. */
export const cors: Key<CorsFields | null> = {
  ...corsBlock,
  read: (name, settings, context) => {
    const field = corsBlock.read(name, settings, context);
    // Another argument is refused already.
    const hasValue = settings.some(({ args }) => typeof args[0]?.value === 'string');
    if (field.value !== null && !hasValue) checkCors(field.value, field, context);
    return field;
  },
};

const values = (field: CorsFields['allow-methods']): readonly string[] => [
  ...new Set(field.value.map(({ value }) => value)),
];

const standardMethods = (matched: readonly string[]): readonly string[] => [...new Set([...simpleMethods, ...matched])];

/**
 * The lists of a block `cors` that are not written.
 *
 * @param methods those that the route matches; empty: all
 */
export const standardCorsLists = (methods: readonly string[]): Readonly<Record<string, readonly string[]>> => ({
  'allow-methods': standardMethods(methods),
  'allow-headers': simpleHeaders,
  'expose-headers': ownHeaders,
});

/**
 * Converts a block `cors` that has no errors.
 *
 * @param methods those that the route matches; empty: all
 */
export const toCors = (fields: CorsFields | null, methods: readonly string[]): CorsPolicy | null =>
  fields && {
    allowOrigins: values(fields['allow-origins']),
    allowMethods: fields['allow-methods'].given ? values(fields['allow-methods']) : standardMethods(methods),
    allowHeaders: values(fields['allow-headers']),
    exposeHeaders: values(fields['expose-headers']),
    allowCredentials: fields['allow-credentials'].value,
    maxAgeSecs: fields['max-age-secs'].value,
  };
