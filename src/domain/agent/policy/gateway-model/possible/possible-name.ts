import { nearestWord } from '../../../../configuration/schema/did-you-mean.js';
import { authenticationMethods } from '../../../identity/request-credentials.js';
import { anonymousPrincipal } from '../gateway-principal.js';
import { httpMethods } from '../http-methods.js';

/** Action names that are common in other policy systems. */
const methodOfVerb: ReadonlyMap<string, string> = new Map([
  ['read', 'GET'],
  ['view', 'GET'],
  ['list', 'GET'],
  ['create', 'POST'],
  ['write', 'PUT'],
  ['update', 'PUT'],
  ['edit', 'PATCH'],
  ['remove', 'DELETE'],
]);

const methods: ReadonlySet<string> = new Set(httpMethods);
export const isMethod = (text: string): boolean => methods.has(text);

/** The most similar HTTP method; null if none is similar. */
export const nearestMethod = (text: string): string | null =>
  methodOfVerb.get(text.toLowerCase()) ?? nearestWord(text, httpMethods);

/** The possible values of `context.auth_method`. */
export const authMethods: readonly string[] = [...authenticationMethods, anonymousPrincipal.authMethod];
