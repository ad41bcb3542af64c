import { describe, expect, it } from 'vitest';
import { completeAgentOptions } from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import {
  decodeAgentOptions,
  decodeAgentOptionTexts,
} from '../../../../../src/domain/agent/configuration/decode-agent-options.js';
import { Secret } from '../../../../../src/domain/shared/secret.js';
import { ecPair, pairFor, rsaPair } from '../../../../support/agent/test-tokens.js';

const { publicKey: rsa } = rsaPair();
const { publicKey: ec } = ecPair('P-256');
const { publicKey: ed } = pairFor('EdDSA');
const pem = rsa.export({ type: 'spki', format: 'pem' }).toString();
const jwk = rsa.export({ format: 'jwk' });
const der = (key: typeof rsa, type: 'spki' | 'pkcs1' = 'spki') =>
  key.export({ type, format: 'der' }).toString('base64');

const problemsOf = (secret: string) => completeAgentOptions({ jwtSecret: new Secret(secret) }, new Map()).problems;

describe('a secret that is a public key, with which anyone could sign', () => {
  it.each([
    ['PEM', pem],
    ['PEM with its line ends written as \\n', pem.replaceAll('\n', '\\n')],
    ['PEM behind other text', `the key of id.example:\n${pem}`],
    ['a certificate in PEM', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'],
    ['PEM in base64', Buffer.from(pem).toString('base64')],
    ['a JWK', JSON.stringify(jwk)],
    ['a JWK over several lines', `\n${JSON.stringify(jwk, null, 2)}`],
    ['a JWK with its quotes escaped', JSON.stringify(jwk).replaceAll('"', '\\"')],
    ['a JWK set', JSON.stringify({ keys: [jwk] })],
    ['an array of JWKs', JSON.stringify([jwk])],
    ['DER in base64, RSA', der(rsa)],
    ['DER in base64, RSA as PKCS #1', der(rsa, 'pkcs1')],
    ['DER in base64, P-256', der(ec)],
    ['DER in base64, Ed25519', der(ed)],
    ['DER in base64, over several lines', der(rsa).replace(/.{64}/g, '$&\n')],
  ])('is refused, with advice: %s', (_, secret) => {
    expect(problemsOf(secret)).toEqual([
      {
        severity: 'error',
        option: 'jwt-secret',
        message: expect.stringContaining('anyone with the public key could sign tokens'),
        suggestion: expect.stringMatching(/jwt-public-key.*jwt-algorithm/),
      },
    ]);
  });

  it.each([
    Buffer.alloc(48, 7).toString('base64'),
    Buffer.alloc(48, 0x30).toString('base64'),
    '{3F2504E0-4F89-11D3-9A0C-0305E82C3301}',
    '[brackets are no reason to refuse a secret]',
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA',
    '----- BEGIN with something else, if you like -----',
  ])('is not confused with a similar text: %s', (secret) => expect(problemsOf(secret)).toEqual([]));

  it('is refused from the handshake, a flag or a variable', () => {
    const decoded = [
      decodeAgentOptions({ 'jwt-secret': pem }),
      ...['--jwt-secret', 'JWT_SECRET'].map((source) =>
        decodeAgentOptionTexts([{ option: 'jwt-secret', text: pem, source }]),
      ),
    ];
    for (const { options } of decoded) {
      const completed = completeAgentOptions(options ?? {}, new Map());
      expect(completed.problems.map(({ severity, option }) => `${severity} ${option}`)).toEqual(['error jwt-secret']);
      expect(completed.options).toBeNull();
    }
  });
});
