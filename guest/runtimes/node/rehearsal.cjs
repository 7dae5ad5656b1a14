'use strict';
// The program of a rehearsal (park.cjs).
require('fs');
