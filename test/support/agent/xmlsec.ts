import { execFileSync, spawnSync } from 'node:child_process';
import { temporaryFolder } from '../shared/temporary-folder.js';
import { idpKey, type SamlKey } from './saml-keys.js';
import { digestUris, signatureUris } from './saml-signatures.js';

const ds = 'http://www.w3.org/2000/09/xmldsig#';
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/** Elements that have an ID, as xmlsec1 has to be told. */
const identified = [
  'urn:oasis:names:tc:SAML:2.0:protocol:Response',
  'urn:oasis:names:tc:SAML:2.0:assertion:Assertion',
  'urn:oasis:names:tc:SAML:2.0:protocol:LogoutRequest',
  'urn:oasis:names:tc:SAML:2.0:metadata:EntityDescriptor',
].flatMap((name) => ['--id-attr:ID', name]);

export interface XmlsecPlan {
  readonly id: string;
  readonly key?: SamlKey;
  readonly algorithm?: string;
  readonly digest?: string;
  /** Prefixes of InclusiveNamespaces, where there are any. */
  readonly inclusivePrefixes?: string;
}

const template = ({ id, key = idpKey(), algorithm, digest, inclusivePrefixes }: XmlsecPlan): string => {
  const byKey = key.kind === 'ec' ? signatureUris.ecdsaSha256 : signatureUris.rsaSha256;
  const prefixes =
    inclusivePrefixes === undefined
      ? ''
      : `<c:InclusiveNamespaces xmlns:c="${exclusive}" PrefixList="${inclusivePrefixes}"/>`;
  return [
    `<ds:Signature xmlns:ds="${ds}"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="${exclusive}"/>`,
    `<ds:SignatureMethod Algorithm="${algorithm ?? byKey}"/><ds:Reference URI="#${id}"><ds:Transforms>`,
    `<ds:Transform Algorithm="${ds}enveloped-signature"/><ds:Transform Algorithm="${exclusive}">${prefixes}</ds:Transform>`,
    `</ds:Transforms><ds:DigestMethod Algorithm="${digest ?? digestUris.sha256}"/><ds:DigestValue/></ds:Reference>`,
    '</ds:SignedInfo><ds:SignatureValue/></ds:Signature>',
  ].join('');
};

/** Runs xmlsec1 on a document, with a key in a file. */
const withFiles = <Value>(xml: string, pem: string, run: (file: string, keyFile: string) => Value): Value => {
  const folder = temporaryFolder();
  try {
    return run(folder.write('document.xml', xml), folder.write('key.pem', pem));
  } finally {
    folder.remove();
  }
};

const issuerEnd = '</saml:Issuer>';

/** The document with an unsigned signature behind the Issuer of the element with that ID. */
const prepared = (xml: string, plan: XmlsecPlan): string => {
  const issuer = xml.indexOf(issuerEnd, xml.indexOf(` ID="${plan.id}"`)) + issuerEnd.length;
  return xml.slice(0, issuer) + template(plan) + xml.slice(issuer);
};

/** Signs the element with that ID by the `xmlsec1` program, behind its Issuer. */
export const xmlsecSigned = (xml: string, plan: XmlsecPlan): string =>
  withFiles(prepared(xml, plan), (plan.key ?? idpKey()).privatePem, (file, keyFile) => {
    const where = ['--node-xpath', `//*[@ID='${plan.id}']/*[local-name()='Signature']`];
    const parameters = ['--sign', '--privkey-pem', keyFile, ...identified, ...where, file];
    return execFileSync('xmlsec1', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  });

/** Whether `xmlsec1` finds the first signature of a document in order. */
export const xmlsecVerifies = (xml: string, { certificatePem }: SamlKey): boolean =>
  withFiles(xml, certificatePem, (file, keyFile) => {
    const run = spawnSync('xmlsec1', ['--verify', '--pubkey-cert-pem', keyFile, ...identified, file]);
    return run.status === 0;
  });

const xenc = 'http://www.w3.org/2001/04/xmlenc#';

const encryptionTemplate = [
  `<xenc:EncryptedData xmlns:xenc="${xenc}" Type="${xenc}Element">`,
  '<xenc:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/>',
  `<ds:KeyInfo xmlns:ds="${ds}"><xenc:EncryptedKey><xenc:EncryptionMethod Algorithm="${xenc}rsa-oaep-mgf1p"/>`,
  '<xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo>',
  '<xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedData>',
].join('');

/** The EncryptedData of an element, made by the `xmlsec1` program for the key of a certificate. */
export const xmlsecEncrypted = (xml: string, { certificatePem }: SamlKey): string =>
  withFiles(xml, certificatePem, (file, keyFile) => {
    const folder = temporaryFolder();
    try {
      const session = ['--session-key', 'aes-256', '--xml-data', file];
      const parameters = [
        '--encrypt',
        '--pubkey-cert-pem',
        keyFile,
        ...session,
        folder.write('t.xml', encryptionTemplate),
      ];
      return execFileSync('xmlsec1', parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).replace(
        /^<\?xml[^>]*\?>\s*/,
        '',
      );
    } finally {
      folder.remove();
    }
  });
