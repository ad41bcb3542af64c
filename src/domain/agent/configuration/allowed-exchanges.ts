import { required } from '../../configuration/schema/scalar-keys.js';
import type { Key } from '../../configuration/schema/schema.js';
import type { AllowedExchange } from '../token-exchange/exchange-policy.js';
import { issuedKind, subjectKind } from './exchange-kinds.js';
import { optionBlocks } from './option-blocks.js';

const exchangeShape = {
  'subject-token-type': required(subjectKind, 'The type of the subject token.'),
  'issued-token-type': required(
    issuedKind,
    'The type of the issued token. Both are JWTs with the same claims: an `access_token` has the `typ` `at+jwt`, a `jwt` has `JWT`.',
  ),
};

/** The content of an example block. */
export const exchangeExample = 'subject-token-type "access_token"; issued-token-type "access_token"';

/** The allowed conversions, one per block. */
export const allowedExchanges = (meaning: string): Key<readonly AllowedExchange[]> => {
  const blocks = optionBlocks(exchangeShape, meaning, exchangeExample);
  return {
    ...blocks,
    document: { ...blocks.document, type: 'block, may be repeated' },
    read: (name, settings, context) => {
      const field = blocks.read(name, settings, context);
      const exchanges = field.value.map(({ fields }) => ({
        subjectKind: fields['subject-token-type'].value,
        issuedKind: fields['issued-token-type'].value,
      }));
      const isSound = field.value.every(
        ({ fields }) => fields['subject-token-type'].sound && fields['issued-token-type'].sound,
      );
      return { ...field, value: exchanges, sound: field.sound && isSound };
    },
  };
};
