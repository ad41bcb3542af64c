import { sign } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  Certificate,
  Name,
  RelativeDistinguishedName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import type { KeyPair } from './test-tokens.js';

const commonNameType = '2.5.4.3';
const rsaWithSha256 = '1.2.840.113549.1.1.11';
const ecdsaWithSha256 = '1.2.840.10045.4.3.2';
const day = 86_400_000;

/** A certificate that an RSA or EC key has signed for itself, valid now; in DER. */
export const selfSignedCertificate = ({ publicKey, privateKey }: KeyPair, commonName: string): Buffer => {
  const value = new AttributeValue({ utf8String: commonName });
  const name = new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: commonNameType, value })])]);
  const signatureAlgorithm =
    privateKey.asymmetricKeyType === 'ec'
      ? new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 })
      : new AlgorithmIdentifier({ algorithm: rsaWithSha256, parameters: null });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: Uint8Array.of(1).buffer,
    signature: signatureAlgorithm,
    issuer: name,
    validity: new Validity({ notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + day) }),
    subject: name,
    subjectPublicKeyInfo: AsnConvert.parse(publicKey.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo),
  });
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), privateKey);
  const signatureValue = Uint8Array.from(signature).buffer;
  return Buffer.from(AsnConvert.serialize(new Certificate({ tbsCertificate, signatureAlgorithm, signatureValue })));
};

export const certificatePem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
