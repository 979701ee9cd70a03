/** A model whose speed may be known. */
export interface Sized {
  parameters: number;
  /** The speed measured on this machine, in proteins a second; null if it was not measured yet. */
  speed: number | null;
}

/**
 * Estimates the speed of a model in proteins a second: the speed of the measured model that is nearest in size, in inverse proportion to
 * their parameters, because nearly all work is one multiplication for each parameter and residue. The result is null if nothing was
 * measured.
 */
export function expectedSpeed(parameters: number, measured: readonly Sized[]): number | null {
  const apart = ({ parameters: other }: Sized) => Math.abs(Math.log(other / parameters));
  const known = measured.filter(({ speed }) => speed !== null).sort((a, b) => apart(a) - apart(b));
  const [nearest] = known;
  return nearest === undefined ? null : ((nearest.speed as number) * nearest.parameters) / parameters;
}
