import type { KeyObject } from 'node:crypto';
import type {
  MetadataQuery,
  UnusableMetadata,
  VerifierFailure,
} from '../../../application/ports/agent/saml-document-verifier.js';
import type { DocumentRejection } from '../../../domain/agent/saml/document-rejection.js';
import {
  type DescribedIdentityProvider,
  readIdentityProvider,
} from '../../../domain/agent/saml/metadata/read-identity-provider.js';
import { metadataShapeFault } from '../../../domain/agent/xml/metadata-shape.js';
import type { XmlElement } from '../../../domain/agent/xml/xml-element.js';
import { err, ok, type Result } from '../../../domain/shared/result.js';
import { provenElement } from './proven-element.js';
import { parseStrictly } from './strict-document.js';

/** The metadata as far as it may be believed: what is signed of it, or with no keys (null) all of it, once it is found in order. */
const believedMetadata = (text: string, keys: readonly KeyObject[] | null): Result<XmlElement, DocumentRejection> => {
  const fault = metadataShapeFault(text);
  if (fault !== null) return err(fault);
  const document = parseStrictly(text);
  if (!document.ok) return document;
  return keys === null ? ok(document.value.root) : provenElement(text, document.value.element, keys);
};

/** Reads the identity provider out of metadata, of which the keys (null: it need not be signed) have to have signed all that counts. */
export const verifyMetadataText = (
  text: string,
  keys: readonly KeyObject[] | null,
  { entityId, nowMs }: Pick<MetadataQuery, 'entityId' | 'nowMs'>,
): Result<DescribedIdentityProvider, VerifierFailure | UnusableMetadata> => {
  const root = believedMetadata(text, keys);
  if (!root.ok) return root;
  const described = readIdentityProvider(root.value, entityId, nowMs);
  return described.ok ? described : err({ unusable: described.error });
};
