import { createHash, createHmac, type KeyLike, type KeyObject, sign, verify } from 'node:crypto';
import { type HashAlgorithm, type SignatureAlgorithm, SignedXml } from 'xml-crypto';

/** URIs of XML Signature (RFC 9231), good and bad ones. */
export const signatureUris = {
  rsaSha1: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  rsaSha256: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  rsaSha384: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384',
  rsaSha512: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  ecdsaSha1: 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1',
  ecdsaSha256: 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256',
  ecdsaSha384: 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384',
  ecdsaSha512: 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512',
  hmacSha1: 'http://www.w3.org/2000/09/xmldsig#hmac-sha1',
  hmacSha256: 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256',
} as const;
export type SignatureUri = (typeof signatureUris)[keyof typeof signatureUris];

export const digestUris = {
  md5: 'http://www.w3.org/2001/04/xmldsig-more#md5',
  sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
} as const;
export type DigestUri = (typeof digestUris)[keyof typeof digestUris];

export const transformUris = {
  enveloped: 'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  exclusive: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  exclusiveWithComments: 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
  inclusive: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
} as const;

const hashName = (uri: string): string => uri.slice(uri.lastIndexOf('sha'));

/** Signs octets as XML Signature has it; ECDSA as r and s. An HMAC takes the text of a key as its secret. */
export const rawSignature = (uri: SignatureUri, octets: string, key: KeyObject | string): Buffer => {
  if (typeof key === 'string') return createHmac(hashName(uri), key).update(octets).digest();
  return sign(hashName(uri), Buffer.from(octets), { key, dsaEncoding: 'ieee-p1363' });
};

const algorithmOf = (uri: SignatureUri, key: KeyObject | string): (new () => SignatureAlgorithm) =>
  class implements SignatureAlgorithm {
    getAlgorithmName(): string {
      return uri;
    }
    getSignature(signedInfo: unknown): string {
      return rawSignature(uri, String(signedInfo), key).toString('base64');
    }
    verifySignature(material: string, verifying: KeyLike, value: string): boolean {
      return verify(hashName(uri), Buffer.from(material), verifying as KeyObject, Buffer.from(value, 'base64'));
    }
  };

const digestOf = (uri: DigestUri): (new () => HashAlgorithm) =>
  class implements HashAlgorithm {
    getAlgorithmName(): string {
      return uri;
    }
    getHash(xml: string): string {
      return createHash(uri === digestUris.md5 ? 'md5' : hashName(uri))
        .update(xml)
        .digest('base64');
    }
  };

/** How an element is signed; what is left out is as a good identity provider has it. */
export interface SignaturePlan {
  /** ID of the element. */
  readonly id: string;
  /** A private key, or the secret of an HMAC. */
  readonly key: KeyObject | string;
  readonly algorithm?: SignatureUri;
  readonly digest?: DigestUri;
  readonly transforms?: readonly string[];
  readonly canonicalization?: string;
  /** Prefixes of InclusiveNamespaces of the reference. */
  readonly inclusivePrefixes?: readonly string[];
  /** DER in base64, for KeyInfo; left out: no KeyInfo. */
  readonly certificate?: string;
  /** Name of the child after which the signature stands. Left out: Issuer; null: it is the first child. */
  readonly after?: string | null;
}

/**
 * Signs the element with an ID by xml-crypto, in the way of an identity provider: an enveloped signature after its
 * Issuer.
 */
export const signElement = (xml: string, plan: SignaturePlan): string => {
  const isEc = typeof plan.key !== 'string' && plan.key.asymmetricKeyType === 'ec';
  const algorithm = plan.algorithm ?? (isEc ? signatureUris.ecdsaSha256 : signatureUris.rsaSha256);
  const digest = plan.digest ?? digestUris.sha256;
  const { certificate } = plan;
  const signer = new SignedXml({
    privateKey: 'the algorithm knows the key',
    signatureAlgorithm: algorithm,
    canonicalizationAlgorithm: plan.canonicalization ?? transformUris.exclusive,
    getKeyInfoContent: () =>
      certificate === undefined
        ? null
        : `<ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data>`,
  });
  signer.SignatureAlgorithms = { [algorithm]: algorithmOf(algorithm, plan.key) };
  signer.HashAlgorithms = { [digest]: digestOf(digest) };
  const target = `//*[@ID='${plan.id}']`;
  signer.addReference({
    xpath: target,
    transforms: [...(plan.transforms ?? [transformUris.enveloped, transformUris.exclusive])],
    digestAlgorithm: digest,
    inclusiveNamespacesPrefixList: [...(plan.inclusivePrefixes ?? [])],
  });
  const after = plan.after === undefined ? 'Issuer' : plan.after;
  signer.computeSignature(xml, {
    prefix: 'ds',
    location:
      after === null
        ? { reference: target, action: 'prepend' }
        : { reference: `${target}/*[local-name()='${after}']`, action: 'after' },
  });
  return signer.getSignedXml();
};
