import type { Session } from '../../../domain/agent/saml/session/session.js';

/** For the object, its numbers and its place in the map. */
const overhead = 200;

const lengthOf = (text: string | null): number => text?.length ?? 0;

/** Roughly how many characters a session takes. It is the same for as long as the session lives. */
export const sessionCharacters = (session: Session): number => {
  const { nameId } = session;
  let characters = overhead + session.idHash.length + session.userId.length + session.issuer.length;
  characters += lengthOf(session.sessionIndex);
  if (nameId !== null) {
    characters += nameId.value.length + lengthOf(nameId.format);
    characters += lengthOf(nameId.nameQualifier) + lengthOf(nameId.spNameQualifier);
  }
  for (const { name, values } of session.attributes) {
    characters += name.length;
    for (const value of values) characters += value.length;
  }
  return characters;
};
