import { createHash } from 'node:crypto';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Long enough that no two meet by chance, short enough to be kept a million times. */
const shortDigest = (...parts: readonly string[]): string => digest(JSON.stringify(parts)).slice(0, 32);

/** What all keys of one service provider begin with. The braces put them into one hash slot (Redis cluster specification, "Hash tags"). */
export const keyPrefix = (namespace: string): string => `portcullis:saml:{${digest(namespace).slice(0, 16)}}:`;

/** Keys of indexes, without their prefix; what they are made of is no secret, and can be long. */
export const userKey = (userId: string): string => `user:${shortDigest(userId)}`;
export const subjectKey = (issuer: string, nameId: string): string => `subject:${shortDigest(issuer, nameId)}`;
export const subjectIndexKey = (issuer: string, nameId: string, sessionIndex: string): string =>
  `index:${shortDigest(issuer, nameId, sessionIndex)}`;
