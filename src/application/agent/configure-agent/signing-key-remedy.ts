import type { SigningAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import type { Secret } from '../../../domain/shared/secret.js';
import type { TokenSigningKeys } from '../../ports/agent/token-signing-keys.js';

const rsaKey = 'a key by openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072';

/** What is made for an algorithm, and how. */
const recipes: Readonly<Record<SigningAlgorithm, string>> = {
  RS256: rsaKey,
  PS256: rsaKey,
  ES256: 'a key by openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256',
  EdDSA: 'a key by openssl genpkey -algorithm ed25519',
  HS256: 'a secret by openssl rand -hex 32',
};

/** What to do about a key that cannot sign with this algorithm, though it can with another one; null: it cannot sign at all. */
export const signingKeyRemedy = async (
  text: Secret,
  algorithm: SigningAlgorithm,
  signingKeys: TokenSigningKeys,
): Promise<string | null> => {
  // Reading it as one that is only published tells what is usual for a key of its type.
  const published = await signingKeys.readPublishedKey(text, algorithm);
  const other = published.ok ? published.value.algorithm : algorithm;
  if (other === algorithm) return null;
  const signing = await signingKeys.readSigningKey(text, other);
  return signing.ok ? `set signing-algorithm to "${other}" or make ${recipes[algorithm]}` : null;
};
