import { useMayCall } from '../account/use-may-call.js';
import type { Resource } from './resources.js';

/** Returns a function that says whether a part has anything that the visitor may use. */
export function useMayOpen() {
  const mayCall = useMayCall();
  return ({ list, acts = [], own }: Resource) =>
    list === undefined
      ? own !== undefined || acts.some((act) => mayCall(act.route, act.operation))
      : mayCall(list);
}
