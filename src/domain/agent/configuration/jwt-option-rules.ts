import { utf8Length } from '../../shared/utf8-length.js';
import { type AgentOptions, agentDefaults, type JwtOptions } from './agent-configuration.js';
import type { OptionReport } from './option-report.js';
import { looksLikePublicKey } from './public-key-text.js';

/** Octets that an HS256 secret has at the least (RFC 7518, section 3.2). */
export const minimumHs256SecretBytes = 32;

/** One key for one algorithm, or null where there is none or they do not fit. */
export const jwtOptions = (options: AgentOptions, error: OptionReport, warn: OptionReport): JwtOptions | null => {
  const { jwtSecret, jwtPublicKey } = options;
  const issuer = options.jwtIssuer ?? null;
  const audience = options.jwtAudience ?? null;
  const algorithm = options.jwtAlgorithm ?? agentDefaults.jwtAlgorithm;
  if (jwtSecret !== undefined && jwtPublicKey !== undefined) {
    error(
      'jwt-public-key',
      'jwt-secret and jwt-public-key cannot both be given: one algorithm is accepted, with one key',
    );
    return null;
  }
  if (jwtSecret !== undefined) {
    if (algorithm !== 'HS256') {
      error(
        'jwt-algorithm',
        `${algorithm} needs jwt-public-key, but jwt-secret is given`,
        'use HS256, or give jwt-public-key',
      );
    }
    if (looksLikePublicKey(jwtSecret.reveal())) {
      error(
        'jwt-secret',
        'the secret is a key or certificate in PEM, JSON or DER: whoever has a public key could sign any token with it',
        'save it as a PEM file, and give its path as jwt-public-key with the jwt-algorithm of the key, such as RS256 or ES256',
      );
    }
    if (utf8Length(jwtSecret.reveal()) < minimumHs256SecretBytes) {
      error('jwt-secret', `the secret must have at least ${minimumHs256SecretBytes} bytes`);
    }
    return { key: { algorithm: 'HS256', secret: jwtSecret }, issuer, audience };
  }
  if (jwtPublicKey !== undefined) {
    if (algorithm === 'HS256') {
      error(
        options.jwtAlgorithm === undefined ? 'jwt-public-key' : 'jwt-algorithm',
        'HS256 needs jwt-secret, but jwt-public-key is given',
        'set jwt-algorithm to the algorithm of the key, such as RS256 or ES256',
      );
      return null;
    }
    return { key: { algorithm, publicKeyFile: jwtPublicKey }, issuer, audience };
  }
  const idle = (
    [
      ['jwt-algorithm', options.jwtAlgorithm],
      ['jwt-issuer', options.jwtIssuer],
      ['jwt-audience', options.jwtAudience],
    ] as const
  ).find(([, value]) => value !== undefined);
  if (idle !== undefined) warn(idle[0], `${idle[0]} has no effect without jwt-secret or jwt-public-key`);
  return null;
};
