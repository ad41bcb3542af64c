/** A key of an object, or an index of an array. */
export type JsonStep = string | number;

const plainKey = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Steps from the outside in, as one would write them: `[0].attrs["first name"]`. Empty where there are none. */
export const jsonPath = (steps: readonly JsonStep[]): string =>
  steps
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`;
      return plainKey.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join('');
