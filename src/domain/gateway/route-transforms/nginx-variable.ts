import type { PlaceholderName } from './placeholder-template.js';

/** Variables of nginx, without the dollar sign, and the placeholders for them. */
const placeholders: ReadonlyMap<string, PlaceholderName> = new Map([
  ['remote_addr', 'client_ip'],
  ['realip_remote_addr', 'client_ip'],
  ['host', 'host'],
  ['http_host', 'host'],
  ['server_name', 'host'],
  ['request_method', 'method'],
  ['uri', 'path'],
  ['document_uri', 'path'],
  ['args', 'query'],
  ['is_args', 'query'],
  ['query_string', 'query'],
  ['request_uri', 'path_query'],
  ['scheme', 'scheme'],
  ['request_id', 'correlation_id'],
  ['remote_user', 'user_id'],
]);

/** A variable of nginx in a text. */
export interface NginxVariable {
  /** With its dollar sign. */
  readonly name: string;
  /** The placeholder for it, in braces. */
  readonly placeholder: string;
}

const variableForm = /\$(?:\{(\w{1,32})\}|(\w{1,32}))/g;

/** The first variable of nginx that has a placeholder; null: there is none. */
export const nginxVariable = (text: string): NginxVariable | null => {
  for (const match of text.matchAll(variableForm)) {
    const name = match[1] ?? match[2] ?? '';
    const placeholder = placeholders.get(name);
    if (placeholder !== undefined) return { name: `$${name}`, placeholder: `{${placeholder}}` };
  }
  return null;
};
