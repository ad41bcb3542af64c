import { AsnArray, AsnConvert, AsnProp, AsnPropTypes, AsnType, AsnTypeTypes } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier, Extensions, SubjectPublicKeyInfo, Validity } from '@peculiar/asn1-x509';

/*
 * The structure of a certificate (RFC 5280, section 4.1), as in @peculiar/asn1-x509, except that values
 * of names keep their octets: the package's classes decode text without a check of its type.
 */

class RawValues extends AsnArray<ArrayBuffer | null> {}
AsnType({ type: AsnTypeTypes.Sequence, itemType: AsnPropTypes.Any })(RawValues);

class RawAttribute {
  type = '';
  /** Includes tag and length; null stands for NULL. */
  value: ArrayBuffer | null = null;
}
AsnProp({ type: AsnPropTypes.ObjectIdentifier })(RawAttribute.prototype, 'type');
AsnProp({ type: AsnPropTypes.Any })(RawAttribute.prototype, 'value');

class RawRelativeName extends AsnArray<RawAttribute> {}
AsnType({ type: AsnTypeTypes.Set, itemType: RawAttribute })(RawRelativeName);

export class RawName extends AsnArray<RawRelativeName> {}
AsnType({ type: AsnTypeTypes.Sequence, itemType: RawRelativeName })(RawName);

class ToBeSigned {
  version = 0;
  serialNumber: ArrayBuffer | null = null;
  signature = new AlgorithmIdentifier();
  issuer = new RawName();
  validity = new Validity();
  subject = new RawName();
  subjectPublicKeyInfo = new SubjectPublicKeyInfo();
  issuerUniqueId: ArrayBuffer | undefined = undefined;
  subjectUniqueId: ArrayBuffer | undefined = undefined;
  extensions: Extensions | undefined = undefined;
}
AsnProp({ type: AsnPropTypes.Integer, context: 0, defaultValue: 0 })(ToBeSigned.prototype, 'version');
AsnProp({ type: AsnPropTypes.Any })(ToBeSigned.prototype, 'serialNumber');
AsnProp({ type: AlgorithmIdentifier })(ToBeSigned.prototype, 'signature');
AsnProp({ type: RawName })(ToBeSigned.prototype, 'issuer');
AsnProp({ type: Validity })(ToBeSigned.prototype, 'validity');
AsnProp({ type: RawName })(ToBeSigned.prototype, 'subject');
AsnProp({ type: SubjectPublicKeyInfo })(ToBeSigned.prototype, 'subjectPublicKeyInfo');
AsnProp({ type: AsnPropTypes.BitString, context: 1, implicit: true, optional: true })(
  ToBeSigned.prototype,
  'issuerUniqueId',
);
AsnProp({ type: AsnPropTypes.BitString, context: 2, implicit: true, optional: true })(
  ToBeSigned.prototype,
  'subjectUniqueId',
);
AsnProp({ type: Extensions, context: 3, optional: true })(ToBeSigned.prototype, 'extensions');

export class SignedCertificate {
  tbsCertificate = new ToBeSigned();
  signatureAlgorithm = new AlgorithmIdentifier();
  signatureValue = new ArrayBuffer(0);
}
AsnProp({ type: ToBeSigned })(SignedCertificate.prototype, 'tbsCertificate');
AsnProp({ type: AlgorithmIdentifier })(SignedCertificate.prototype, 'signatureAlgorithm');
AsnProp({ type: AsnPropTypes.BitString })(SignedCertificate.prototype, 'signatureValue');

/** The items of a SEQUENCE, each with tag and length. Throws if it is not a SEQUENCE. */
export const parseSequence = (der: Uint8Array): readonly Uint8Array[] =>
  Array.from(AsnConvert.parse(der, RawValues), rawOctets);

const nullValue = Uint8Array.of(0x05, 0x00);

/** The octets of a value of any type. */
export const rawOctets = (raw: ArrayBuffer | null): Uint8Array => (raw === null ? nullValue : new Uint8Array(raw));

/** Parses a certificate. Throws if it is malformed. */
export const parseCertificate = (der: Uint8Array): SignedCertificate => AsnConvert.parse(der, SignedCertificate);
