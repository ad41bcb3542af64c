import { describe, expect, it } from 'vitest';
import {
  identityHeaderPatterns,
  removablePatterns,
} from '../../../../../src/application/agent/configure-agent/removed-fields.js';
import {
  type CompleteAgentOptions,
  completeAgentOptions,
} from '../../../../../src/domain/agent/configuration/agent-option-rules.js';
import { isOwned, ownedHeaders } from '../../../../../src/domain/http/owned-headers.js';
import type { JsonObject } from '../../../../../src/domain/shared/json.js';
import { optionsOf } from '../../../../support/agent/test-agent.js';

const complete = (config: JsonObject): CompleteAgentOptions => {
  const { options, problems } = completeAgentOptions(optionsOf(config), new Map());
  if (options === null) throw new Error(JSON.stringify(problems));
  return options;
};

const certificates = ['X-Client-Cert', 'Client-Cert', 'Client-Cert-Chain', 'X-Forwarded-Client-Cert', 'x_ssl_cert'];
/** Which of the headers that carry certificates are removed on the way to the upstream. */
const removed = (config: JsonObject): string[] => {
  const removable = ownedHeaders(removablePatterns(complete(config)));
  for (const always of ['X-User-Id', 'X_Client_Cert_CN', 'x-client-cert-dn', 'X-Auth-Claim-a']) {
    expect(isOwned(removable, always)).toBe(true);
  }
  return certificates.filter((name) => isOwned(removable, name));
};
const mtls = (header: string, enabled = true) => ({ mtls: { enabled, 'client-cert-header': header } });

describe('headers with client certificates', () => {
  it('are removed if no method reads them, for any forwarding option', () => {
    const usual = certificates.slice(0, 4);
    expect(removed({})).toEqual(usual);
    expect(removed({ 'forward-credentials': true })).toEqual(usual);
    expect(removed({ 'forward-credentials': true, ...mtls('Client-Cert', false) })).toEqual(usual);
  });

  it('are removed in any spelling if credentials are not forwarded by name', () => {
    expect(removed(mtls('X-SSL-Cert'))).toEqual(certificates);
    expect(removed({ 'forward-credentials': false, ...mtls('X-SSL-Cert') })).toEqual(certificates);
  });

  it('keep only the header that was read if credentials are forwarded', () => {
    const left = (header: string) => {
      const gone = removed({ 'forward-credentials': true, ...mtls(header) });
      return certificates.filter((name) => !gone.includes(name));
    };
    expect(left('X-Client-Cert')).toEqual(['X-Client-Cert', 'x_ssl_cert']);
    expect(left('Client-Cert')).toEqual(['Client-Cert', 'Client-Cert-Chain', 'x_ssl_cert']);
    expect(left('X-SSL-Cert')).toEqual(['x_ssl_cert']);
  });
});

describe('the headers that the gateway strips from client requests', () => {
  it('include the one that carries certificates', () => {
    const identity = [
      'X-User-Id',
      'X-Auth-Method',
      'X-Auth-Claim-*',
      'X-Auth-Claims-Omitted',
      'X-Client-Cert-CN',
      'X-Client-Cert-DN',
    ];
    expect(identityHeaderPatterns(complete({}))).toEqual(identity);
    expect(identityHeaderPatterns(complete(mtls('X-SSL-Cert')))).toEqual([...identity, 'X-SSL-Cert']);
    expect(identityHeaderPatterns(complete(mtls('client-cert')))).toEqual([
      ...identity,
      'client-cert',
      'Client-Cert-Chain',
    ]);
  });
});

describe('the API key header', () => {
  const removes = (config: JsonObject, name: string) =>
    isOwned(ownedHeaders(removablePatterns(complete(config))), name);

  it('stays for the upstream if nothing makes it a credential', () => {
    expect(removes({}, 'X-API-Key')).toBe(false);
    expect(removes({ 'forward-credentials': false, 'jwt-secret': 'x'.repeat(32) }, 'X-API-Key')).toBe(false);
    expect(removes({ 'api-keys': [] }, 'X-API-Key')).toBe(false);
  });

  it('is removed in any spelling if keys are configured or the header is named', () => {
    expect(removes({ 'api-keys': 'k:n' }, 'x_api.key')).toBe(true);
    expect(removes({ 'api-key-header': 'X-API-Key' }, 'x_api.key')).toBe(true);
    expect(removes({ 'api-keys': 'k:n', 'api-key-header': 'X-Key' }, 'X-API-Key')).toBe(false);
    expect(removes({ 'api-keys': 'k:n', 'forward-credentials': true }, 'X-API-Key')).toBe(false);
  });

  it('is removed even if the key file is currently empty', () => {
    const { options } = completeAgentOptions(optionsOf({ 'api-keys': '@/keys' }), new Map([['/keys', '']]));
    expect(options?.apiKeyHeader).toBe('X-API-Key');
  });
});
