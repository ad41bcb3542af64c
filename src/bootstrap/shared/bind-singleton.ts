import type { ContainerModuleLoadOptions, ServiceIdentifier } from 'inversify';

/** Tokens by the names of the dependencies. */
type Needs = Readonly<Record<string, unknown>>;

/** The dependencies of the tokens. */
type Resolved<Named extends Needs> = {
  readonly [Name in keyof Named]: Named[Name] extends ServiceIdentifier<infer Part> ? Part : never;
};

/**
 * Binds a token to the result of `make`, as a singleton. Each dependency is named once, as in `{
 * clock: sharedTokens.clock }`; `make` receives them under the same names.
 */
export const bindSingleton =
  (bind: ContainerModuleLoadOptions['bind']) =>
  <Made, Named extends Needs>(
    token: ServiceIdentifier<Made>,
    needs: Named,
    make: (parts: Resolved<Named>) => Made,
  ): void => {
    const names = Object.keys(needs);
    const tokens = Object.values(needs) as ServiceIdentifier<unknown>[];
    bind(token)
      .toResolvedValue(
        (...parts: readonly unknown[]) =>
          make(Object.fromEntries(names.map((name, index) => [name, parts[index]])) as Resolved<Named>),
        tokens,
      )
      .inSingletonScope();
  };
