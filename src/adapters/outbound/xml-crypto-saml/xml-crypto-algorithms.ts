import { createHash, type KeyObject } from 'node:crypto';
import type { HashAlgorithm, SignatureAlgorithm } from 'xml-crypto';
import { digestAlgorithms, signatureAlgorithms } from '../../../domain/agent/saml/document/signature-algorithms.js';
import { isSignedByOneOf } from './signature-check.js';

type Classes<Algorithm> = Record<string, new () => Algorithm>;

/** The algorithms that are believed, for xml-crypto, which has no ECDSA of its own; each checks with these keys and no other. */
export const checkingAlgorithms = (keys: readonly KeyObject[]): Classes<SignatureAlgorithm> =>
  Object.fromEntries(
    Array.from(signatureAlgorithms, ([uri, algorithm]) => [
      uri,
      class implements SignatureAlgorithm {
        getAlgorithmName(): string {
          return uri;
        }
        getSignature(): string {
          throw new Error('this only checks signatures');
        }
        verifySignature(material: string, _key: unknown, value: string): boolean {
          return isSignedByOneOf(keys, algorithm, material, value);
        }
      },
    ]),
  );

/** The digests that are believed, for xml-crypto. */
export const digestClasses: Classes<HashAlgorithm> = Object.fromEntries(
  Array.from(digestAlgorithms, ([uri, hash]) => [
    uri,
    class implements HashAlgorithm {
      getAlgorithmName(): string {
        return uri;
      }
      getHash(xml: string): string {
        return createHash(hash).update(xml, 'utf8').digest('base64');
      }
    },
  ]),
);
