import fc from 'fast-check';

interface Pair<Model extends object, Real> {
  readonly model: Model;
  readonly real: Real;
}

/** Runs commands on a model and on the real thing. Each command expects that both agree. */
export const expectModelAgreement = <Model extends object, Real>(
  setUp: () => Pair<Model, Real>,
  commands: Iterable<fc.Command<Model, Real>>,
): void => fc.modelRun(setUp, commands);
