<?php
// Runs verify.php on cases.json.
require "verify.php";
$wrong = 0;
foreach (json_decode(file_get_contents("cases.json"), true, 512, JSON_THROW_ON_ERROR) as $c) {
    if (verify($c["secret"], $c["headers"], $c["body"], $c["now"]) !== $c["good"]) {
        fwrite(STDERR, $c["name"] . "\n");
        $wrong++;
    }
}
exit($wrong ? 1 : 0);
