import type { ContainerModuleLoadOptions, ServiceIdentifier } from 'inversify';

/** Tokens by the names that the parts have where something is made of them. */
type Needs = Readonly<Record<string, unknown>>;

/** The parts that tokens stand for. */
type Parts<Named extends Needs> = {
  readonly [Name in keyof Named]: Named[Name] extends ServiceIdentifier<infer Part> ? Part : never;
};

/**
 * Binds a token to what `make` makes of its needs, once for a container. Each need is named once,
 * as `{ clock: sharedTokens.clock }`; `make` gets the parts under the same names.
 */
export const bindMade =
  (bind: ContainerModuleLoadOptions['bind']) =>
  <Made, Named extends Needs>(
    token: ServiceIdentifier<Made>,
    needs: Named,
    make: (parts: Parts<Named>) => Made,
  ): void => {
    const names = Object.keys(needs);
    const tokens = Object.values(needs) as ServiceIdentifier<unknown>[];
    bind(token)
      .toResolvedValue(
        (...parts: readonly unknown[]) =>
          make(Object.fromEntries(names.map((name, index) => [name, parts[index]])) as Parts<Named>),
        tokens,
      )
      .inSingletonScope();
  };
