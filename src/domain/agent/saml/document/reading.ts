import { err, ok, type Result } from '../../../shared/result.js';
import { parseDateTime } from '../../xml/date-time.js';
import { attributeOf, childElements, elementText, type XmlElement } from '../../xml/element-access.js';
import { collapseWhiteSpace } from '../../xml/xml-characters.js';
import { xmlNamespaces } from '../../xml/xml-name.js';
import type { DocumentRejection } from '../document-rejection.js';

const readCodes = (status: XmlElement): Read<readonly string[]> => {
  const codes: string[] = [];
  let next = readChild(status, xmlNamespaces.samlp, 'StatusCode', (code): Read<XmlElement | null> => ok(code));
  while (next.ok && next.value !== null) {
    const code = readAttribute(next.value, 'Value');
    if (!code.ok) return code;
    codes.push(code.value);
    next = optionalChild(next.value, xmlNamespaces.samlp, 'StatusCode');
  }
  return next.ok ? ok(codes) : next;
};

/** The status codes of a response, the top-level one first (SAML core, section 3.2.2.1). */
export const readStatusCodes = (response: XmlElement): Read<readonly string[]> =>
  readChild(response, xmlNamespaces.samlp, 'Status', readCodes);

/** A parsed value, or the reason to refuse the document. */
export type Read<Value> = Result<Value, DocumentRejection>;

/** An element or attribute is missing, repeated or malformed. */
export const malformedDocument: Read<never> = err('malformed_element');

type Values<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends Read<infer Value> ? Value : never;
};

/** The values of all fields, or the first failure, in order. */
export const readAll = <Fields extends Readonly<Record<string, Read<unknown>>>>(
  fields: Fields,
): Read<Values<Fields>> => {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!field.ok) return field;
    values[name] = field.value;
  }
  return ok(values as Values<Fields>);
};

/** The parsed elements, or the first failure. */
export const readEach = <Value>(
  elements: readonly XmlElement[],
  read: (element: XmlElement) => Read<Value>,
): Read<readonly Value[]> => {
  const values: Value[] = [];
  for (const element of elements) {
    const value = read(element);
    if (!value.ok) return value;
    values.push(value.value);
  }
  return ok(values);
};

/** The only child element of that name; null if absent. */
export const optionalChild = (parent: XmlElement, namespace: string, name: string): Read<XmlElement | null> => {
  const found = childElements(parent, namespace, name);
  return found.length > 1 ? malformedDocument : ok(found[0] ?? null);
};

/** Parses the only child element of that name. */
export const readChild = <Value>(
  parent: XmlElement,
  namespace: string,
  name: string,
  read: (element: XmlElement) => Read<Value>,
): Read<Value> => {
  const child = optionalChild(parent, namespace, name);
  if (!child.ok) return child;
  return child.value === null ? malformedDocument : read(child.value);
};

/** Parses the only child element of that name; null if absent. */
export const readOptionalChild = <Value>(
  parent: XmlElement,
  namespace: string,
  name: string,
  read: (element: XmlElement) => Read<Value>,
): Read<Value | null> => {
  const child = optionalChild(parent, namespace, name);
  if (!child.ok) return child;
  return child.value === null ? ok(null) : read(child.value);
};

/** The exact text of an element; not empty. */
export const readElementText = (element: XmlElement): Read<string> => {
  const text = elementText(element);
  return text === null || text === '' ? malformedDocument : ok(text);
};

/** The text of an element as xs:anyURI, with collapsed white space; not empty. */
export const readUri = (element: XmlElement): Read<string> => {
  const text = elementText(element);
  const uri = text === null ? '' : collapseWhiteSpace(text);
  return uri === '' ? malformedDocument : ok(uri);
};

/** The exact value of an attribute; not empty. */
export const readAttribute = (element: XmlElement, name: string): Read<string> => {
  const value = attributeOf(element, name);
  return value === null || value === '' ? malformedDocument : ok(value);
};

/** Milliseconds since the Unix epoch; null if absent. */
export const readOptionalTime = (element: XmlElement, name: string): Read<number | null> => {
  const text = attributeOf(element, name);
  const ms = text === null ? null : parseDateTime(text);
  return text !== null && ms === null ? malformedDocument : ok(ms);
};

/** Milliseconds since the Unix epoch. */
export const readTime = (element: XmlElement, name: string): Read<number> => {
  const ms = parseDateTime(attributeOf(element, name) ?? '');
  return ms === null ? malformedDocument : ok(ms);
};
