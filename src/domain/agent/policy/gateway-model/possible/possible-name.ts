import { nearestWord } from '../../../../configuration/schema/did-you-mean.js';
import { authenticationMethods } from '../../../identity/request-credentials.js';
import { anonymousPrincipal } from '../gateway-principal.js';
import { httpMethods } from '../http-methods.js';

/** What policies of other systems call their actions. */
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

/** The method of HTTP that was probably meant; null: none is near. */
export const nearestMethod = (text: string): string | null =>
  methodOfVerb.get(text.toLowerCase()) ?? nearestWord(text, httpMethods);

/** What `context.auth_method` can be. */
export const authMethods: readonly string[] = [...authenticationMethods, anonymousPrincipal.authMethod];
