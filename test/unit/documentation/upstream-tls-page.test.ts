import { describe, expect, it } from 'vitest';
import { tlsFailureText } from '../../../src/adapters/tls-sockets/tls-failure.js';
import { tableOf } from '../../support/shared/documentation-examples.js';

const causes = tableOf(
  'docs/guides/upstream-tls.md',
  ['`cause`', 'What to do'].map((cell) => cell.replaceAll('`', '')),
)
  .map(([cell = '']) => cell)
  .join('\n');

describe('the table of causes in the guide to TLS to upstreams', () => {
  it.each([
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'ERROR_IN_CERT_NOT_AFTER_FIELD',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'CERT_SIGNATURE_FAILURE',
    'CERT_CHAIN_TOO_LONG',
    'CERT_UNTRUSTED',
    'CERT_REJECTED',
    'INVALID_PURPOSE',
    'INVALID_CA',
  ])('has the text for %s', (code) => {
    const text = tlsFailureText(Object.assign(new Error('a certificate'), { code }));
    expect(text).toMatch(/^certificate refused: the /);
    expect(causes).toContain(text);
  });
});
