import { quoteName } from '../abbreviate-text.js';

/** A key of an object, or an index of an array. */
export type JsonStep = string | number;

/** Longer keys are quoted and cut. */
const maxPlainLength = 40;
const plainKey = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Formats steps, outermost first, as `[0].attrs["first name"]`. Empty for no steps. */
export const jsonPath = (steps: readonly JsonStep[]): string =>
  steps
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`;
      return step.length <= maxPlainLength && plainKey.test(step) ? `.${step}` : `[${quoteName(step)}]`;
    })
    .join('');
