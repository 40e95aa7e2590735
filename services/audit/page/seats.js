/** Seats: the order in which players sit, and turns go round. Seats rise anticlockwise, as the deal travels. */

const rising = (seats) => [...seats].sort((one, other) => one - other);

/** The next occupied seat, and after the highest the lowest. */
export function nextSeat(seats, seat) {
  const occupied = rising(seats);
  return occupied.find((other) => other > seat) ?? occupied[0];
}

/** All who sit, from this seat round, or from the next one when nobody sits there. */
export function roundFrom(seats, seat) {
  const occupied = rising(seats);
  return [...occupied.filter((other) => other >= seat), ...occupied.filter((other) => other < seat)];
}

/** The others, in turn after this seat; it ends before it. */
export function inTurnAfter(seats, seat) {
  return roundFrom(seats, seat).filter((other) => other !== seat);
}

/** The others, clockwise: from the dealer's left, when the seat is the dealer's. */
export function clockwiseAfter(seats, seat) {
  return inTurnAfter(seats, seat).reverse();
}

/** Where a patron sits; undefined for a bystander. */
export function seatOf(seats, patron) {
  return [...seats].find(([, sitting]) => sitting === patron)?.[0];
}

/** What makes no sense in seats as they are stated, and in what the round is said to start from. */
export function statedComplaint({ seats, turn, banker, standing, suivi, right, left, tied }, most) {
  const numbers = seats.map(({ seat }) => seat);
  if (numbers.some((seat, at) => at && seat <= numbers[at - 1])) return "the seats do not rise";
  if (numbers.at(-1) > most) return `the table has ${most} seats`;
  if (new Set(seats.map(({ patron }) => patron)).size < seats.length) return "a patron has two seats";
  const named = [turn, banker, suivi, right, left].find((seat) => seat !== undefined && !numbers.includes(seat));
  if (named !== undefined) return `nobody sits on seat ${named}, which is named`;
  const isStanding = standing !== undefined || suivi !== undefined;
  if (banker === undefined && isStanding) return "a bank stands without its banker";
  return tied && turn === undefined ? "a tie without a turn" : null;
}
