/** Counts the checks. The last line of a run is `N passed, N failed`. */
export class Checks {
  #passed = 0;
  #failed = 0;

  /** Runs a check. A fault is printed, and the run goes on. */
  async check(name, work) {
    try {
      await work();
      this.#passed += 1;
      console.log(`ok      ${name}`);
    } catch (error) {
      this.#failed += 1;
      console.log(
        `FAILED  ${name}\n        ${String(error.message).split('\n').slice(0, 16).join('\n        ')}`,
      );
    }
  }

  /** Prints the counts and returns the exit code. */
  finish() {
    console.log(`${this.#passed} passed, ${this.#failed} failed`);
    return this.#failed === 0 && this.#passed > 0 ? 0 : 1;
  }
}

export function expect(condition, sentence) {
  if (!condition) throw new Error(sentence);
}
