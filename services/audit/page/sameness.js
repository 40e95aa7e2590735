/** Whether two events say the same, and an event in words. */

/** Fields of undefined are absent; amounts in BigInt are the integers they stand for. */
export function isSame(one, other) {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) {
    return one === other || (typeof one === "bigint" && Number(one) === other);
  }
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Array.isArray(one) === Array.isArray(other) && [...keys].every((key) => isSame(one[key], other[key]));
}

export function inWords({ type, ...fields }) {
  const told = Object.entries(fields).filter(([key, value]) => key !== "round" && value !== undefined);
  const words = told.map(([key, value]) => `${key} ${typeof value === "object" ? listed(value) : value}`);
  return words.length ? `${type} (${words.join(", ")})` : type;
}

function listed(value) {
  return JSON.stringify(value, (_, item) => (typeof item === "bigint" ? Number(item) : item));
}
