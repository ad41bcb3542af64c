import fc from 'fast-check';

/** What property tests begin with unless told otherwise: a commit's tests say the same whenever they run. */
const standardSeed = 20_250_101;

/** A number, for the properties as they were seen to fail, or `random`. `npm run explore` sets it. */
const asked = process.env['PROPERTY_SEED'] ?? '';

const seed = asked === 'random' ? undefined : asked === '' ? standardSeed : Number(asked);
if (seed !== undefined && !Number.isSafeInteger(seed)) throw new Error(`PROPERTY_SEED is no integer: ${asked}`);

fc.configureGlobal({ ...fc.readConfigureGlobal(), ...(seed === undefined ? {} : { seed }) });
