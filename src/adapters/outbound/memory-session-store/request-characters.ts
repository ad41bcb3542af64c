import type { SignOnRequest } from '../../../domain/agent/saml/sign-on/sign-on-request.js';

/** For the object, its numbers and its place in the map. */
const overhead = 200;

/** Roughly how many characters a request takes. */
export const requestCharacters = (request: SignOnRequest): number => {
  let characters = overhead;
  for (const value of Object.values(request)) if (typeof value === 'string') characters += value.length;
  return characters;
};
