/**
 * Ordinary questions, as a newcomer asks them, each with a pattern that its answer must match. None is taken from a
 * benchmark. A pattern says what a right answer contains; some also say what it must not.
 */
export interface Question {
  ask: string;
  right: RegExp;
  wrong?: RegExp;
  /** Said before it, the user first and in turns. */
  before?: readonly string[];
}

const facts: Question[] = [
  { ask: "What is the capital of France?", right: /\bParis\b/, wrong: /not Paris/ },
  { ask: "What is the capital of Japan?", right: /\bTokyo\b/ },
  { ask: "What is the capital of Italy?", right: /\bRome\b/ },
  { ask: "What is the capital of Egypt?", right: /\bCairo\b/ },
  { ask: "What is the capital of Canada?", right: /\bOttawa\b/ },
  { ask: "Which country has Madrid as its capital?", right: /\bSpain\b/ },
  { ask: "Who wrote Hamlet?", right: /Shakespeare/ },
  { ask: "Who painted the Mona Lisa?", right: /Leonardo|da Vinci/ },
  { ask: "Who developed the theory of relativity?", right: /Einstein/ },
  { ask: "Who was the first president of the United States?", right: /Washington/ },
  { ask: "Who was the first person to walk on the moon?", right: /Armstrong/ },
  { ask: "What is the largest planet in the solar system?", right: /Jupiter/ },
  { ask: "Which planet is closest to the sun?", right: /Mercury/ },
  { ask: "What is the largest ocean on Earth?", right: /Pacific/ },
  { ask: "What is the highest mountain in the world?", right: /Everest/ },
  { ask: "On which continent is Kenya?", right: /Africa/ },
  { ask: "In which country is the Great Wall?", right: /China/ },
  { ask: "Which river flows through London?", right: /Thames/ },
  { ask: "What is the chemical symbol for gold?", right: /\bAu\b/ },
  { ask: "What is the chemical formula of water?", right: /H2O|H₂O/ },
  { ask: "What gas do plants take in from the air?", right: /carbon dioxide|CO2/i },
  { ask: "At what temperature in Celsius does water boil?", right: /\b100\b/ },
  { ask: "At what temperature in Celsius does water freeze?", right: /\b0\b|zero/i },
  { ask: "How many days are in a week?", right: /\b7\b|seven/i },
  { ask: "How many months are in a year?", right: /\b12\b|twelve/i },
  { ask: "How many minutes are in an hour?", right: /\b60\b|sixty/i },
  { ask: "How many legs does a spider have?", right: /\b8\b|eight/i },
  { ask: "How many sides does a triangle have?", right: /\b3\b|three/i },
  { ask: "What colour do you get when you mix blue and yellow?", right: /green/i },
  { ask: "What do bees make?", right: /honey/i },
  { ask: "What is the freezing form of water called?", right: /\bice\b/i },
  { ask: "Which organ pumps blood through the body?", right: /heart/i },
  { ask: "What is a baby dog called?", right: /pup/i },
  { ask: "Which language is spoken in Brazil?", right: /Portuguese/ },
  { ask: "What currency is used in Japan?", right: /\byen\b/i },
  { ask: "In which year did the Second World War end?", right: /1945/ },
  { ask: "Is the sun a star or a planet?", right: /\bstar\b/i, wrong: /is a planet/i },
  { ask: "Is ice hot or cold?", right: /cold/i },
  {
    ask: "Can fish breathe under water?",
    right: /\byes\b|they can|fish can|can breathe/i,
    wrong: /cannot breathe|can't breathe/i,
  },
  { ask: "Is a tomato an animal?", right: /\bno\b|not an animal|is a (fruit|vegetable|plant)/i },
];

const sums: Question[] = [
  { ask: "What is 2 + 2?", right: /\b4\b|four/i },
  { ask: "What is 17 + 25?", right: /\b42\b/ },
  { ask: "What is 9 + 8?", right: /\b17\b/ },
  { ask: "What is 50 - 20?", right: /\b30\b/ },
  { ask: "What is 100 minus 1?", right: /\b99\b/ },
  { ask: "What is 6 times 7?", right: /\b42\b/ },
  { ask: "What is 3 x 5?", right: /\b15\b/ },
  { ask: "What is 10 * 10?", right: /\b100\b/ },
  { ask: "What is 20 divided by 4?", right: /\b5\b|five/i },
  { ask: "What is half of 18?", right: /\b9\b|nine/i },
  { ask: "Which is larger, 7 or 12?", right: /\b12\b/ },
  { ask: "I have 3 apples and buy 2 more. How many apples do I have?", right: /\b5\b|five/i },
  { ask: "There are 10 birds on a tree and 4 fly away. How many are left?", right: /\b6\b|six/i },
  { ask: "What number comes after 19?", right: /\b20\b|twenty/i },
];

const lists: Question[] = [
  {
    ask: "Name three fruits.",
    right:
      /(apple|banana|orange|grape|mango|pear|strawberr|peach|cherr|pineapple|lemon)[^]*(apple|banana|orange|grape|mango|pear|strawberr|peach|cherr|pineapple|lemon)[^]*(apple|banana|orange|grape|mango|pear|strawberr|peach|cherr|pineapple|lemon)/i,
  },
  {
    ask: "Name three colours.",
    right:
      /(red|blue|green|yellow|orange|purple|black|white|gr[ae]y|pink|brown)[^]*(red|blue|green|yellow|orange|purple|black|white|gr[ae]y|pink|brown)[^]*(red|blue|green|yellow|orange|purple|black|white|gr[ae]y|pink|brown)/i,
  },
  {
    ask: "Name two animals that live in the sea.",
    right:
      /(whale|dolphin|shark|fish|octopus|seal|turtle|crab|squid|jellyfish|tuna|sea lion|salmon|eel|coral|lobster)[^]*(whale|dolphin|shark|fish|octopus|seal|turtle|crab|squid|jellyfish|tuna|sea lion|salmon|eel|coral|lobster)/i,
  },
  {
    ask: "List the four seasons.",
    right: /(?=[^]*spring)(?=[^]*summer)(?=[^]*(autumn|fall))(?=[^]*winter)/i,
  },
  { ask: "List the first five letters of the alphabet.", right: /A[^a-z]+B[^a-z]+C[^a-z]+D[^a-z]+E/i },
  { ask: "Count from 1 to 5.", right: /1[^\d]+2[^\d]+3[^\d]+4[^\d]+5/ },
  {
    ask: "Name two countries in Europe.",
    right:
      /(France|Germany|Italy|Spain|Portugal|Poland|Sweden|Norway|Greece|Austria|United Kingdom|England|Ireland|Netherlands|Belgium|Switzerland|Latvia|Luxembourg|Denmark|Finland|Hungary|Romania|Croatia|Iceland|Lithuania|Estonia)[^]*(France|Germany|Italy|Spain|Portugal|Poland|Sweden|Norway|Greece|Austria|United Kingdom|England|Ireland|Netherlands|Belgium|Switzerland|Latvia|Luxembourg|Denmark|Finland|Hungary|Romania|Croatia|Iceland|Lithuania|Estonia)/,
  },
  {
    ask: "Name three days of the week.",
    right:
      /(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day[^]*(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day[^]*(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day/,
  },
  { ask: "Name a vegetable that is orange.", right: /carrot|pumpkin|sweet potato/i },
  {
    ask: "Name a musical instrument with strings.",
    right: /guitar|violin|cello|harp|banjo|ukulele|bass|piano|lute|viola|sitar/i,
  },
];

const words: Question[] = [
  { ask: "What is the opposite of hot?", right: /cold|cool/i },
  { ask: "What is the opposite of big?", right: /small|little|tiny/i },
  { ask: "What is the opposite of up?", right: /down/i },
  { ask: "What is the plural of child?", right: /children/i },
  { ask: "What is the plural of mouse?", right: /mice/i },
  { ask: "What is the past tense of go?", right: /went/i },
  {
    ask: "Give me a word that means happy.",
    right: /joy|glad|cheer|delight|content|pleased|elated|ecstatic|blissful/i,
  },
  { ask: "Spell the word cat.", right: /c[-,. ]*a[-,. ]*t/i },
  { ask: "Translate 'good morning' to French.", right: /bonjour/i },
  { ask: "Translate 'thank you' to Spanish.", right: /gracias/i },
  { ask: "Translate 'hello' to German.", right: /hallo|guten tag/i },
  { ask: "Translate 'house' to Spanish.", right: /\bcasa\b/i },
  { ask: "Translate 'water' to French.", right: /\beau\b/i },
  { ask: "Translate 'dog' to German.", right: /\bHund\b/i },
  { ask: "What does 'USA' stand for?", right: /United States/i },
];

const code: Question[] = [
  {
    ask: "Write a Python function that adds two numbers.",
    right: /def \w+\([^)]*,[^)]*\):\s*(#.*\s*|"""[^]*?"""\s*)?return \w+ ?\+ ?\w+/,
  },
  { ask: "Write a Python line that prints hello.", right: /print\(\s*["'][Hh]ello/ },
  {
    ask: "Write a JavaScript function that returns the square of a number.",
    right: /(function|=>)[^]*(\w+) ?(\*\*? ?(\w+|2)|,)|Math\.pow/,
  },
  { ask: "How do you get the length of a list in Python?", right: /\blen\b/ },
  {
    ask: "Write a Python loop that prints the numbers 0 to 4.",
    right: /for \w+ in range\((0, ?)?5\)[^]*print\(\w+\)/,
  },
  { ask: "Which HTML tag makes a link?", right: /<a\b|\ba tag|"a"|'a'|anchor/i },
  { ask: "Which SQL statement reads rows from a table?", right: /SELECT/i },
  { ask: "In Python, what does the keyword def do?", right: /function/i },
];

const talk: Question[] = [
  { ask: "Hi!", right: /hi\b|hello|hey|help|welcome/i },
  { ask: "Hello, how are you?", right: /\b(well|fine|good|great|help|AI|assist)/i },
  { ask: "Thank you!", right: /welcome|glad|happy|pleasure|anytime|no problem|thank/i },
  { ask: "Good night!", right: /good night|sleep|night|dream|rest/i },
  { ask: "What can you do?", right: /help|answer|assist|question/i },
  { ask: "I am tired.", right: /sleep|rest|break|nap|relax|tired|sorry|bed/i },
];

const tasks: Question[] = [
  { ask: "Where do I live?", right: /Lisbon/, before: ["I live in Lisbon.", "Lisbon is a beautiful city."] },
  { ask: "What is my name?", right: /Maria/, before: ["My name is Maria.", "Nice to meet you, Maria."] },
  {
    ask: "How old is my son?",
    right: /\b7\b|seven/i,
    before: ["My son is seven years old.", "That is a lovely age."],
  },
  {
    ask: "Which colour did I say I like?",
    right: /purple/i,
    before: ["My favourite colour is purple.", "Purple is a nice colour."],
  },
  {
    ask: "Is this review positive or negative? 'The food was cold and the waiter was rude.'",
    right: /negative/i,
    wrong: /is positive/i,
  },
  {
    ask: "Is this review positive or negative? 'I loved every minute of this film.'",
    right: /positive/i,
    wrong: /is negative/i,
  },
  { ask: "In which year did it happen? 'The bridge was opened in 1932 by the mayor.'", right: /1932/ },
  { ask: "Who is mentioned in this sentence? 'Yesterday Anna went to the market.'", right: /Anna/ },
  { ask: "Answer with yes or no: is fire hot?", right: /\byes\b/i },
  { ask: "Answer with one word: what do cows drink?", right: /water|milk/i },
  { ask: "Say the word banana.", right: /banana/i },
  { ask: "Which of these is a fruit: car, apple, chair?", right: /apple/i },
  { ask: "Which of these is an animal: table, horse, bottle?", right: /horse/i },
  { ask: "Put these numbers in order: 3, 1, 2.", right: /1[^\d]+2[^\d]+3/ },
  { ask: "Write this in capital letters: hello", right: /HELLO/ },
];

export const questions: readonly Question[] = [
  ...facts,
  ...sums,
  ...lists,
  ...words,
  ...code,
  ...talk,
  ...tasks,
];
