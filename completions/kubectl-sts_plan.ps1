Register-ArgumentCompleter -Native -CommandName kubectl-sts_plan -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $prev = $env:STS_PLAN_COMPLETE;
    $env:STS_PLAN_COMPLETE = "powershell";

    $args = $commandAst.Extent.Text
    $args = $args.Substring(0, [math]::Min($cursorPosition, $args.Length));
    if ($wordToComplete -eq "") {
        $args += " ''";
    }

    $results = Invoke-Expression @"
& kubectl-sts_plan -- $args
"@;
    if ($null -eq $prev) {
        Remove-Item Env:\STS_PLAN_COMPLETE;
    } else {
        $env:STS_PLAN_COMPLETE = $prev;
    }
    $results | ForEach-Object {
        $split = $_.Split("`t");
        $cmd = $split[0];

        if ($split.Length -eq 2) {
            $help = $split[1];
        }
        else {
            $help = $split[0];
        }

        [System.Management.Automation.CompletionResult]::new($cmd, $cmd, 'ParameterValue', $help)
    }
};
