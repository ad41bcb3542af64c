import type { KeyObject } from 'node:crypto';
import type { AsymmetricAlgorithm } from '../../../domain/agent/tokens/signature-algorithm.js';
import { rsaKeyFault } from '../../../domain/shared/rsa-key-rules.js';
import { algorithmRequirements } from './algorithm-requirements.js';

/** Says what a key is that does not fit the algorithm; null where it fits. */
export const unfitness = (key: KeyObject, algorithm: AsymmetricAlgorithm): string | null => {
  const needs = algorithmRequirements[algorithm];
  const type = key.asymmetricKeyType;
  const details = key.asymmetricKeyDetails;
  switch (needs.family) {
    case 'rsa':
      if (type !== 'rsa') return `a key of type ${type}, but ${algorithm} needs RSA`;
      return rsaKeyFault(details?.modulusLength ?? 0, details?.publicExponent ?? 0n);
    case 'ec':
      if (type !== 'ec') return `a key of type ${type}, but ${algorithm} needs ${needs.curve}`;
      return details?.namedCurve === needs.namedCurve
        ? null
        : `a key on the curve ${details?.namedCurve}, but ${algorithm} needs ${needs.curve}`;
    case 'ed25519':
      return type === 'ed25519' ? null : `a key of type ${type}, but ${algorithm} needs Ed25519`;
  }
};
