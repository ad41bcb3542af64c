import { afterAll, beforeAll, expect, it } from 'vitest';
import { NodeTextFileReader } from '../../../../../../src/adapters/outbound/node-text-files/node-text-file-reader.js';
import { NodeSamlKeys } from '../../../../../../src/adapters/outbound/xml-crypto-saml/node-saml-keys.js';
import { describeServiceProvider } from '../../../../../../src/application/agent/sign-on/saml/describe-service-provider.js';
import { agentBlockReader } from '../../../../../../src/application/whole/read-agent-block.js';
import { samlBlockText, samlConfiguration } from '../../../../../support/agent/saml-configuration.js';
import { loadConfiguration } from '../../../../../support/gateway/configuration-files.js';
import { OpensslCertificates } from '../../../../../support/shared/openssl-certificates.js';
import { describeWithPeers } from '../../../../../support/shared/peers.js';
import { type TemporaryFolder, temporaryFolder } from '../../../../../support/shared/temporary-folder.js';

describeWithPeers(['openssl'], 'the description of a service provider', () => {
  let folder: TemporaryFolder;
  let pki: OpensslCertificates;
  beforeAll(() => {
    folder = temporaryFolder();
    pki = new OpensslCertificates();
  });
  afterAll(() => {
    folder.remove();
    pki.remove();
  });

  const describe = async (config: string, agentName: string | null = null) => {
    const file = folder.write('gateway.kdl', samlConfiguration(config));
    const parts = { files: new NodeTextFileReader(), keys: new NodeSamlKeys() };
    const { metadata, errors } = await describeServiceProvider(
      agentBlockReader({ load: () => loadConfiguration(file) }),
      agentName,
      parts,
    );
    return { metadata, errors: errors.map(({ message }) => message) };
  };

  it('is the metadata, even if the block is disabled', async () => {
    const { metadata, errors } = await describe(samlBlockText('enabled #false'));
    expect(errors).toEqual([]);
    expect(metadata).toContain('entityID="https://gateway.example/saml/metadata"');
    expect(metadata).toContain('Location="https://gateway.example/saml/acs"');
    expect(metadata).toContain('Location="https://gateway.example/saml/logout"');
    expect(metadata).toContain('AuthnRequestsSigned="false"');
    expect((await describe(samlBlockText('enabled #true'))).metadata).toBe(metadata);
  });

  it('has the certificate if there is a key', async () => {
    const { keyFile, certificateFile, der } = pki.client('gateway', { key: 'rsa-2048' });
    const block = samlBlockText(`sp-key-file "${keyFile}"; sp-cert-file "${certificateFile}"`);
    const { metadata, errors } = await describe(block, 'auth');
    expect(errors).toEqual([]);
    expect(metadata).toContain(der.toString('base64'));
    expect(metadata).toContain('AuthnRequestsSigned="true"');
    expect(metadata).not.toContain('PRIVATE KEY');
  });

  it('is an error if a file is missing or does not match', async () => {
    const [one, other] = [pki.client('one', { key: 'rsa-2048' }), pki.client('other', { key: 'rsa-2048' })];
    const absent = folder.file('absent.pem');
    const gone = await describe(samlBlockText(`sp-key-file "${absent}"; sp-cert-file "${one.certificateFile}"`));
    expect(gone).toEqual({ metadata: null, errors: [expect.stringContaining(`sp-key-file: the file ${absent}`)] });
    const gone2 = await describe(samlBlockText(`sp-key-file "${one.keyFile}"; sp-cert-file "${absent}"`));
    expect(gone2).toEqual({ metadata: null, errors: [expect.stringContaining(`sp-cert-file: the file ${absent}`)] });
    const mixed = await describe(
      samlBlockText(`sp-key-file "${one.keyFile}"; sp-cert-file "${other.certificateFile}"`),
    );
    const text = `saml: sp-key-file: the file ${one.keyFile} does not match the certificate in sp-cert-file`;
    expect(mixed).toEqual({ metadata: null, errors: [text] });
  });

  it('is an error without a valid block or for an unknown agent', async () => {
    expect(await describe('jwt-issuer "x"')).toEqual({ metadata: null, errors: ['the agent has no saml block'] });
    const wrong = await describe(samlBlockText('sp-key-file "k.pem"'));
    expect(wrong.metadata).toBeNull();
    expect(wrong.errors.join()).toContain('sp-key-file is set without sp-cert-file');
    const other = await describe(samlBlockText(), 'other');
    expect(other).toEqual({ metadata: null, errors: [expect.stringContaining('there is no agent "other"')] });
  });
});
