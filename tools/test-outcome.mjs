/** What the tests came to, as far as they ran. @typedef {{ readonly passed: number, readonly failed: number, readonly skipped: number, readonly failures: readonly string[] }} TestOutcome */

/**
 * @typedef {object} VitestReport
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {readonly { readonly name: string, readonly status: string, readonly assertionResults: readonly { readonly status: string, readonly fullName: string }[] }[]} testResults
 */

/** From the report that vitest writes at its end; a file that could not be run counts among the failures. @param {VitestReport} report @param {string} root @returns {TestOutcome} */
export function outcomeOf(report, root) {
  const failures = report.testResults.flatMap(({ name, status, assertionResults }) => {
    const file = name.startsWith(root) ? name.slice(root.length) : name;
    const failed = assertionResults.filter((result) => result.status === 'failed').map(({ fullName }) => `${file}: ${fullName}`);
    return failed.length === 0 && status === 'failed' ? [`${file}: could not be run`] : failed;
  });
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests, numTodoTests } = report;
  return { passed, failed, skipped: numPendingTests + numTodoTests, failures };
}

const fileLine = /^\s*([✓❯×↓]) (.+?) \((\d+) tests?(?: \| (\d+) failed)?(?: \| (\d+) skipped)?\)/u;
const failureLine = /^\s+× (.+)$/u;

/** From what vitest had printed when it was stopped: a line for each file that had ended, and under it each test that failed. @param {string} output @returns {TestOutcome} */
export function outcomeSoFar(output) {
  let [passed, failed, skipped] = [0, 0, 0];
  let file = '';
  /** @type {string[]} */
  const failures = [];
  for (const line of output.split('\n')) {
    const ended = fileLine.exec(line);
    if (ended !== null) {
      const [, , name = '', tests, wrong = 0, left = 0] = ended;
      file = name;
      failed += Number(wrong);
      skipped += Number(left);
      passed += Number(tests) - Number(wrong) - Number(left);
      continue;
    }
    const [, title] = failureLine.exec(line) ?? [];
    if (title !== undefined) failures.push(`${file}: ${title}`);
  }
  return { passed, failed, skipped, failures };
}
